import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

import type { Example } from "./read-examples.ts";

const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  sh: ["bash", "-euo", "pipefail", "-c"],
  js: ["node", "--input-type=module", "-e"],
};

export interface ExampleEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the code of an example as it stands, where this project's packages are found; at most 60 s. */
export async function runExample({ language, code }: Example, environment: NodeJS.ProcessEnv): Promise<ExampleEnd> {
  const [file, ...args] = programs[language] ?? [];
  if (file === undefined) throw new TypeError(`No program runs examples in ${language}`);
  const child = spawn(file, [...args, code], {
    cwd: resolve(import.meta.dirname, ".."),
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, output, errors };
}
