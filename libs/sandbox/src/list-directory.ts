import { lstat } from "node:fs/promises";

import { pathRefused, refusalReasonOf } from "./path-refusal.ts";
import type { PathResolver, ResolvedPath } from "./path-resolver.ts";
import type { DirectoryEntry, FileStat, Listing } from "./sandbox.ts";
import { absoluteVirtual } from "./virtual-path.ts";
import { below, SKILLS_ROOT, USER_DATA } from "./virtual-roots.ts";
import { kindOf, walkTree } from "./walk-tree.ts";

const LIST_MAX_ENTRIES = 2000;

export interface ListOptions {
  readonly depth?: number;
  readonly limit?: number;
}

/** The entries of a directory, by default two levels deep; of `/mnt/user-data` and `/mnt/skills`, their roots. */
export async function listDirectory(resolver: PathResolver, path: string, options: ListOptions): Promise<Listing> {
  const virtual = absoluteVirtual(path);
  if (virtual === USER_DATA || virtual === SKILLS_ROOT) return rootsListing(resolver, virtual);
  return resolver.use(path, {}, (directory) => listBelow(directory, options));
}

async function listBelow(directory: ResolvedPath, options: ListOptions): Promise<Listing> {
  const depth = Math.max(1, options.depth ?? 2);
  const limit = Math.min(options.limit ?? LIST_MAX_ENTRIES, LIST_MAX_ENTRIES);
  const entries: DirectoryEntry[] = [];
  for await (const entry of walkTree(directory.at, { enters: (candidate) => candidate.depth < depth })) {
    if (entries.length >= limit) return { entries, truncated: true };
    entries.push({ path: `${directory.virtual}/${entry.relative}`, kind: entry.kind });
  }
  return { entries, truncated: false };
}

function rootsListing(resolver: PathResolver, parent: string): Listing {
  const roots = resolver.roots.filter((root) => below(parent, root.virtual) !== undefined);
  return { entries: roots.map((root) => ({ path: root.virtual, kind: "directory" })), truncated: false };
}

/** What a path leads to, links followed; undefined when nothing is there. */
export async function statPath(resolver: PathResolver, path: string): Promise<FileStat | undefined> {
  try {
    return await resolver.use(path, {}, (found) => statOf(found));
  } catch (error) {
    if (refusalReasonOf(error) === "not_found") return undefined;
    throw error;
  }
}

async function statOf(found: ResolvedPath): Promise<FileStat> {
  const stat = await lstat(found.at);
  if (stat.isSymbolicLink()) throw pathRefused("link_escapes", found.virtual);
  return { kind: kindOf(stat), sizeBytes: stat.size, modifiedMs: stat.mtimeMs };
}
