import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

import { displayName } from "./byte-names.ts";
import type { Directory } from "./directory.ts";
import { openDirectory } from "./directory.ts";
import type { EntryKind } from "./sandbox.ts";
import { systemCodeOf } from "./system-error.ts";
import { PARTIAL_PREFIX } from "./write-text.ts";

export interface TreeEntry {
  /** Path below the directory where the walk began, as text. */
  readonly relative: string;
  readonly kind: EntryKind;
  /** 1 for an entry of the directory where the walk began. */
  readonly depth: number;
  /** Path for system calls, valid until the walk goes on. */
  readonly at: Buffer;
}

export interface WalkOptions {
  /** Whether to go into a directory. */
  readonly enters: (entry: TreeEntry) => boolean;
}

/** All entries below a directory, depth first, sorted by name, links not followed. What cannot be read is left out. */
export async function* walkTree(path: Buffer, options: WalkOptions): AsyncGenerator<TreeEntry> {
  const directory = await openDirectory(path);
  try {
    yield* walkDirectory(directory, { ...options, prefix: "", depth: 1 });
  } finally {
    await directory.close();
  }
}

interface Level extends WalkOptions {
  readonly prefix: string;
  readonly depth: number;
}

/** Deeper trees are a trap, not a workspace; each level holds one descriptor. */
const MAX_DEPTH = 128;

async function* walkDirectory(directory: Directory, level: Level): AsyncGenerator<TreeEntry> {
  for (const dirent of await sortedEntries(directory)) {
    const entry = {
      relative: level.prefix + displayName(dirent.name),
      kind: kindOf(dirent),
      depth: level.depth,
      at: directory.child(dirent.name),
    };
    yield entry;
    if (entry.kind !== "directory" || entry.depth >= MAX_DEPTH || !level.enters(entry)) continue;
    const child = await openIfReadable(entry.at);
    if (child === undefined) continue;
    try {
      yield* walkDirectory(child, { ...level, prefix: `${entry.relative}/`, depth: level.depth + 1 });
    } finally {
      await child.close();
    }
  }
}

async function sortedEntries(directory: Directory): Promise<Dirent<Buffer>[]> {
  const entries = await unlessGone(() => readdir(directory.self, { encoding: "buffer", withFileTypes: true }));
  return (entries ?? [])
    .filter((entry) => !entry.name.toString("latin1").startsWith(PARTIAL_PREFIX))
    .sort((a, b) => Buffer.compare(a.name, b.name));
}

async function openIfReadable(path: Buffer): Promise<Directory | undefined> {
  return unlessGone(() => openDirectory(path));
}

const LEFT_OUT: readonly (string | undefined)[] = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

async function unlessGone<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (LEFT_OUT.includes(systemCodeOf(error))) return undefined;
    throw error;
  }
}

export function kindOf(stat: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "link" : "other";
}
