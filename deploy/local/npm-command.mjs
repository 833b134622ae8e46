import { spawn } from "node:child_process";
import { constants } from "node:os";
import { basename } from "node:path";

/** A cached package is as good as a fetched one, and a dead network is noticed within seconds. */
const options = [
  "--loglevel=error",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retries=1",
];

/** npm that started this process, so that it is the one the user chose; else the one on the path. */
function npm() {
  const path = process.env.npm_execpath ?? "";
  return basename(path) === "npm-cli.js" ? [process.execPath, path] : ["npm"];
}

/** Runs npm silently in `folder`. Returns what it complained of, or nothing when it succeeded. */
export function runNpm(folder, args) {
  const [file, ...first] = npm();
  const child = spawn(file, [...first, ...args, ...options], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const endWith = (signal) => {
    child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  };
  process.on("SIGINT", endWith).on("SIGTERM", endWith);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    const settle = (fault) => {
      process.off("SIGINT", endWith).off("SIGTERM", endWith);
      resolve(fault);
    };
    child.on("error", (error) => settle(`cannot run npm: ${error.message}`));
    child.on("close", (code) => settle(code === 0 ? undefined : complaint(output, code)));
  });
}

function complaint(output, code) {
  const errors = output.split("\n").filter((line) => line.startsWith("npm error"));
  const told = errors.filter((line) => !line.includes("A complete log")).map((line) => line.replace("npm error ", ""));
  return told.slice(0, 6).join(" | ") || `npm ended with ${code}: ${output.slice(-300)}`;
}
