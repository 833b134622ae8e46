import type { Dirent } from "node:fs";
import { constants } from "node:fs";
import { access, lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "@antler/contracts";

import { SetupError } from "../../setup-error.ts";
import { type IgnoreRules, noRules } from "./ignore-rules.ts";

export interface WorkspaceFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly hostPath: string;
  readonly sizeBytes: number;
  readonly mode: number;
}

/** What of a directory goes into a workspace. */
export interface WorkspaceScan {
  readonly files: readonly WorkspaceFile[];
  readonly sizeBytes: number;
  /** Links, pipes, sockets and devices, which are left out. */
  readonly leftOut: readonly string[];
}

export interface ScanLimits {
  readonly max_files: number;
  readonly max_bytes: number;
}

interface Found {
  readonly files: WorkspaceFile[];
  readonly leftOut: string[];
}

/**
 * Lists the regular files below `root`, without what .gitignore files exclude and without `.git`, `node_modules` and
 * `.antler`. Nothing is opened but .gitignore files, and no link is followed.
 *
 * @throws SetupError when the directory cannot be taken as it is; the message names the entry or the limit.
 */
export async function scanWorkspace(root: string, limits: ScanLimits): Promise<WorkspaceScan> {
  await assertDirectory(root);
  const found: Found = { files: [], leftOut: [] };
  await scanDirectory({ root, limits, found }, "", noRules);
  const { files, leftOut } = found;
  if (files.length === 0)
    throw new SetupError(`${show(root)} holds no files (after .gitignore); name another directory`);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes > limits.max_bytes) throw tooLarge(files, sizeBytes, limits);
  return { files, sizeBytes, leftOut };
}

async function assertDirectory(root: string): Promise<void> {
  const stats = await lstat(`${root}/`).catch((error: unknown) => {
    throw new SetupError(`Cannot read the workspace ${show(root)}: ${reasonOf(error)}`, { cause: error });
  });
  if (!stats.isDirectory()) throw new SetupError(`The workspace ${show(root)} is not a directory`);
}

interface Scan {
  readonly root: string;
  readonly limits: ScanLimits;
  readonly found: Found;
}

async function scanDirectory(scan: Scan, directory: string, outer: IgnoreRules): Promise<void> {
  const host = join(scan.root, directory);
  const entries = await readEntries(host);
  const rules = await rulesIn(host, directory, entries, outer);
  for (const entry of entries) {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    if (rules.ignores(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) await scanDirectory(scan, path, rules);
    else if (entry.isFile()) await addFile(scan, path);
    else scan.found.leftOut.push(path);
  }
}

/** Names are read as bytes, since one that is not UTF-8 could not be told from another that is not. */
async function readEntries(host: string): Promise<readonly Dirent[]> {
  const options = { withFileTypes: true, encoding: "buffer" } as const;
  const entries = await readdir(host, options).catch((error: unknown) => {
    throw new SetupError(`Cannot read the directory ${show(host)}: ${reasonOf(error)}`, { cause: error });
  });
  return entries.map((entry) => Object.assign(entry, { name: decodeName(entry.name, host) }) as unknown as Dirent);
}

function decodeName(name: Buffer, host: string): string {
  const text = name.toString("utf8");
  if (Buffer.from(text, "utf8").equals(name)) return text;
  const escaped = name.toString("latin1").replaceAll(/[^ -~]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
  throw new SetupError(`The name "${escaped}" in ${show(host)} is not UTF-8; rename it or name another directory`);
}

async function rulesIn(
  host: string,
  directory: string,
  entries: readonly Dirent[],
  outer: IgnoreRules,
): Promise<IgnoreRules> {
  if (!entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) return outer;
  const path = join(host, ".gitignore");
  return outer.within(directory, await readFile(path, "utf8").catch((error: unknown) => fail(path, error)));
}

async function addFile({ root, limits, found }: Scan, path: string): Promise<void> {
  if (found.files.length >= limits.max_files) {
    const limit = `${limits.max_files} files (sandbox.upload.max_files)`;
    throw new SetupError(`${show(root)} holds more than ${limit}; name a smaller directory or raise the limit`);
  }
  const hostPath = join(root, path);
  const stats = await lstat(hostPath).catch((error: unknown) => fail(hostPath, error));
  await access(hostPath, constants.R_OK).catch((error: unknown) => fail(hostPath, error));
  found.files.push({ path, hostPath, sizeBytes: stats.size, mode: stats.mode & 0o777 });
}

function tooLarge(files: readonly WorkspaceFile[], sizeBytes: number, limits: ScanLimits): SetupError {
  const largest = files.toSorted((one, other) => other.sizeBytes - one.sizeBytes).slice(0, 3);
  const named = largest.map((file) => `${show(file.path)} ${inMegabytes(file.sizeBytes)}`).join(", ");
  const limit = `${inMegabytes(limits.max_bytes)} (sandbox.upload.max_bytes)`;
  return new SetupError(
    `The workspace has ${inMegabytes(sizeBytes)}, more than ${limit}; the largest: ${named}. ` +
      "Put what is not needed into .gitignore, or raise the limit in antler.yaml",
  );
}

function fail(path: string, error: unknown): never {
  throw new SetupError(`Cannot read ${show(path)}: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  const words = { ENOENT: "it does not exist", ENOTDIR: "it is not a directory", EACCES: "permission is denied" };
  if (code === "ELOOP") return "its symbolic links form a loop";
  return code !== undefined && code in words ? words[code as keyof typeof words] : messageOf(error);
}

/** A path as it can stand in one line of output. */
export function show(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}

export function inMegabytes(bytes: number): string {
  if (bytes > 0 && bytes < 10_000) return "less than 0.01 MB";
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 2 : 0)} MB`;
}
