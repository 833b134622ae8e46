/**
 * The first program of every npm script. Needs Node 20 and nothing else: installs the dependencies, gets Node 24 when
 * this one is older, and runs the command with it. Everything said here goes to stderr.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

import { clean } from "./clean.mjs";
import { answerInstead, commands } from "./commands.mjs";
import { prepare } from "./prepare.mjs";

const root = resolve(import.meta.dirname, "../..");

const parentCheckMs = 500;
const orphanGraceMs = 2_000;

/** npm that was killed can hand on no signal; the command is then ended, softly at first. */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), orphanGraceMs).unref();
  }, parentCheckMs);
  timer.unref();
}

/** Runs the command in `node` and ends as it ended: same exit code, same signal; signals sent here reach it. */
function run(node, args) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`;
  const env = { ...process.env, PATH: path, ANTLER_PARENT_PID: String(process.pid) };
  const child = spawn(node, args, { cwd: root, stdio: "inherit", env });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  endWithNpm(child);
  child.on("error", (error) => {
    process.stderr.write(`Cannot run ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeAllListeners(name);
    if (signal === null) process.exit(code ?? 1);
    process.exitCode = 128 + (constants.signals[signal] ?? 0);
    process.kill(process.pid, signal);
  });
}

async function main() {
  const [name, ...args] = process.argv.slice(2);
  const instead = answerInstead(name, args);
  if (instead !== undefined) {
    (instead.exitCode === 0 ? process.stdout : process.stderr).write(`${instead.text}\n`);
    return instead.exitCode;
  }
  const command = commands[name].run;
  if (name === "clean") return clean(root);
  const node = await prepare(root);
  if (node === undefined) return 1;
  const script = command.find((part) => !part.startsWith("-"));
  if (!existsSync(join(root, script))) {
    process.stderr.write(`${name} needs ${script}, which is not in this repository\n`);
    return 1;
  }
  run(node, [...command, ...args]);
  return 0;
}

process.exitCode = await main();
