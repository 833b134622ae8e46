import type { TreeEntry } from "./walk-tree.ts";

/** Directories that hold what tools made, not what people wrote. */
const LEFT_OUT = [".git", "node_modules"];
/** How many entries a search looks at. */
export const SEARCH_MAX_ENTRIES = 500_000;

/** Which directories a search goes into: all but those left out, unless the path or the pattern names them. */
export function searchScope(...named: readonly (string | undefined)[]): (entry: TreeEntry) => boolean {
  const words = named.flatMap((text) => (text ?? "").split("/"));
  const skipped = LEFT_OUT.filter((name) => !words.includes(name));
  return (entry) => !skipped.includes(entry.relative.slice(entry.relative.lastIndexOf("/") + 1));
}
