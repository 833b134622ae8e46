import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const root = resolve(import.meta.dirname, "../../../..");
const fixtures = "deploy/local/test/fixtures";

export interface StackStart {
  readonly url: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly port: number }[];
}

/** A stack of fixture services in a process of its own, so that it can be interrupted and killed. */
export interface RunningStack {
  readonly pid: number;
  /** Resolves once everything is ready. */
  readonly started: Promise<StackStart>;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | string>;
  readonly errors: () => string;
  signal(name: NodeJS.Signals): void;
}

export function runStack(
  folder: string,
  services: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): RunningStack {
  const mains = services.map((service) => `${fixtures}/${service}`);
  const child = spawn(
    process.execPath,
    ["--conditions=antler-dev", join(root, fixtures, "run-stack.ts"), folder, ...mains],
    {
      env: {
        ...process.env,
        ANTLER_PARENT_PID: String(process.pid),
        MONGODB_URL: "mongodb://127.0.0.1:1",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const ended = new Promise<number | string>((settle) => {
    child.on("exit", (code, signal) => settle(code ?? signal ?? "unknown"));
  });
  const started = new Promise<StackStart>((settle, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) => settle(JSON.parse(line) as StackStart));
    void ended.then((end) => reject(new Error(`The stack ended with ${end}: ${errors}`)));
  });
  started.catch(() => undefined);
  return { pid: child.pid ?? 0, started, ended, errors: () => errors, signal: (name) => void child.kill(name) };
}
