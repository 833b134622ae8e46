import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { runNpm } from "./npm-command.mjs";

const oldestMajor = 24;
const version = "24.22.3";
const remedy = `install Node ${oldestMajor} or newer yourself (on macOS: brew install node)`;

function runs(path) {
  return spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${version}`;
}

/** The Node that runs commands: this one when it is new enough, else a pinned one from npm under `.antler/tools`. */
export function nodeOf(root) {
  if (Number(process.versions.node.split(".")[0]) >= oldestMajor) {
    return { path: process.execPath, isPresent: () => true };
  }
  const packageName = `node-${process.platform}-${process.arch}`;
  const folder = join(root, ".antler/tools", `node-${version}`);
  const inPackage = join("node_modules", packageName, "bin/node");
  const path = join(folder, inPackage);
  return {
    name: `Node ${version} (npm package ${packageName})`,
    what: `getting Node ${version}, since ${process.version} is older than ${oldestMajor}`,
    path,
    isPresent: () => runs(path),
    fetch: () => fetchNode(folder, inPackage, `${packageName}@${version}`),
  };
}

/** Installs beside the final place and moves it there, so that an interrupted download is never taken for a Node. */
async function fetchNode(folder, inPackage, specifier) {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const fault = await runNpm(draft, ["install", "--prefix", draft, "--no-save", "--ignore-scripts", specifier]);
    if (fault !== undefined) return `${fault}; or ${remedy}`;
    if (!runs(join(draft, inPackage))) return `${specifier} does not run here; ${remedy}`;
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
