import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { writeProgram } from "./fake-program.ts";

const local = resolve(import.meta.dirname, "../..");

/** A repository with the real bootstrap, one dependency, and a fake npm that installs it. */
export interface BareClone {
  readonly root: string;
  write(path: string, text: string): void;
  /** Makes the fake npm do `body` after it has noted its call. */
  npm(body: string): void;
  /** Starts a command as an npm script does. */
  run(args: readonly string[], options?: RunOptions): Run;
}

interface RunOptions {
  /** Makes this Node believe that it has another version. */
  readonly nodeVersion?: string;
  /** Puts a process between, as npm is. */
  readonly underNpm?: boolean;
}

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | string>;
}

const lockfile = {
  lockfileVersion: 3,
  packages: { "": { name: "bare" }, "node_modules/one": { version: "1.0.0", integrity: "sha512-one" } },
};

/** What `npm ci` does. */
export const installs = "mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json";

export function makeBareClone(root: string): BareClone {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const file of readdirSync(local).filter((name) => name.endsWith(".mjs"))) {
    cpSync(join(local, file), join(root, "deploy/local", file));
  }
  write("package.json", JSON.stringify({ name: "bare" }));
  write("package-lock.json", JSON.stringify(lockfile));
  const npm = (body: string): void => {
    writeProgram(join(root, "bin"), "npm", `echo "$*" >> "${root}/calls"\n${body}`);
  };
  npm(installs);
  return { root, write, npm, run: (args, options) => run(root, args, options) };
}

function run(root: string, args: readonly string[], { nodeVersion, underNpm = false }: RunOptions = {}): Run {
  const pretend = nodeVersion === undefined ? [] : ["--import", pretendVersion(nodeVersion)];
  const command = [process.execPath, ...pretend, join(root, "deploy/local/bootstrap.mjs"), ...args];
  const shell = underNpm ? ["/bin/sh", "-c", '"$@" & wait', "npm"] : [];
  const [file = "", ...rest] = [...shell, ...command];
  const child = spawn(file, rest, {
    cwd: root,
    env: {
      ...process.env,
      npm_execpath: "",
      npm_lifecycle_event: underNpm ? "check" : undefined,
      PATH: `${root}/bin:${process.env["PATH"] ?? ""}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const ended = new Promise<number | string>((settle) => {
    child.on("close", (code, signal) => settle(code ?? signal ?? "unknown"));
  });
  return { child, output: () => output, errors: () => errors, ended };
}

function pretendVersion(version: string): string {
  const versions = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  return `data:text/javascript,${encodeURIComponent(versions)}`;
}
