import { globMatcher } from "./glob-matcher.ts";
import { outsideRoots, pathRefused } from "./path-refusal.ts";
import type { ResolvedPath } from "./path-resolver.ts";
import { createPathResolver } from "./path-resolver.ts";
import type { GlobJob, SearchAnswer } from "./search-job.ts";
import { SEARCH_MAX_ENTRIES, searchScope } from "./search-scope.ts";
import { below } from "./virtual-roots.ts";
import type { TreeEntry } from "./walk-tree.ts";
import { walkTree } from "./walk-tree.ts";

/** Posts the paths that match; true when more matched than the limit or the tree was too large. */
export async function searchGlob(job: GlobJob, post: (answer: SearchAnswer) => void): Promise<boolean> {
  const { base, pattern } = splitPattern(job);
  const matches = globMatcher(pattern);
  const enters = searchScope(job.path, job.pattern);
  return createPathResolver(job.roots, job.disabledSkills).use(base, {}, async (directory) => {
    let found = 0;
    let seen = 0;
    for await (const entry of walkTree(directory.at, { enters })) {
      seen += 1;
      if (seen > SEARCH_MAX_ENTRIES) return true;
      if (!isWanted(job, entry) || !matches(entry.relative)) continue;
      if (found === job.limit) return true;
      found += 1;
      post({ kind: "paths", paths: [pathOf(directory, entry)] });
    }
    return false;
  });
}

function isWanted(job: GlobJob, entry: TreeEntry): boolean {
  return job.includeDirectories || entry.kind !== "directory";
}

function pathOf(directory: ResolvedPath, entry: TreeEntry): string {
  return `${directory.virtual}/${entry.relative}`;
}

/** An absolute pattern names its own directory: the components before the first that holds a wildcard. */
function splitPattern(job: GlobJob): { readonly base: string; readonly pattern: string } {
  if (job.pattern.split("/").includes("..")) throw pathRefused("traversal", job.pattern);
  const pattern = job.pattern.replace(/^(\.\/+)+/, "");
  if (!pattern.startsWith("/")) return { base: job.path, pattern };
  const root = job.roots.find((candidate) => below(candidate.virtual, pattern) !== undefined);
  if (root === undefined) throw outsideRoots(pattern, job.pattern, { ...job, write: false });
  const rest = below(root.virtual, pattern);
  return { base: root.virtual, pattern: rest === "" || rest === undefined ? "**" : rest };
}
