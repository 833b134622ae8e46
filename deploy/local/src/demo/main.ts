import { resolve } from "node:path";

import { runCommandLine } from "../command-line.ts";
import { readDemoArguments } from "./demo-arguments.ts";
import { runDemo } from "./run-demo.ts";

const root = resolve(import.meta.dirname, "../../../..");
const say = (line: string): void => void process.stderr.write(`${line}\n`);

await runCommandLine(async () => {
  const folder = process.env["INIT_CWD"] ?? process.cwd();
  const args = readDemoArguments(process.argv.slice(2), root, folder);
  return runDemo({ root, args, environment: process.env, output: process.stdout, say });
});
