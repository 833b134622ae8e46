import { resolve } from "node:path";

import { runCommandLine } from "../command-line.ts";
import { runWithStack } from "../run-with-stack.ts";
import { expectFreePort } from "./expect-free-port.ts";
import { keepUp } from "./keep-up.ts";
import { readStartArguments } from "./start-arguments.ts";

const root = resolve(import.meta.dirname, "../../../..");
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommandLine(async () => {
  const { port, verbose, allowHostBash } = readStartArguments(process.argv.slice(2));
  const environment = { ...process.env, ...(allowHostBash ? { ANTLER_ALLOW_HOST_BASH: "true" } : {}) };
  await expectFreePort(port);
  return runWithStack({ root, environment, port, verbose, say }, (stack, interrupt) =>
    keepUp(stack, interrupt, { print, environment }),
  );
});
