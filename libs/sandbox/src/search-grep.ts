import { lstat } from "node:fs/promises";

import { headOf } from "@antler/contracts";

import { fileFilter } from "./glob-matcher.ts";
import { lineMatcher } from "./line-matcher.ts";
import { linesOf } from "./lines-of.ts";
import { withReadable } from "./open-regular.ts";
import type { PathResolver, ResolvedPath } from "./path-resolver.ts";
import { createPathResolver } from "./path-resolver.ts";
import type { GrepMatch } from "./sandbox.ts";
import type { GrepJob, SearchAnswer } from "./search-job.ts";
import { SEARCH_MAX_ENTRIES, searchScope } from "./search-scope.ts";
import { systemCodeOf } from "./system-error.ts";
import { walkTree } from "./walk-tree.ts";

const LINE_MAX_CHARS = 500;

interface Finder {
  /** Looks through a file; true once the limit is passed. */
  search(file: Pick<ResolvedPath, "at" | "virtual">): Promise<boolean>;
}

/** Posts the lines that match; true when more matched than the limit or the tree was too large. */
export async function searchGrep(job: GrepJob, post: (answer: SearchAnswer) => void): Promise<boolean> {
  const finder = createFinder(job, post);
  const resolver: PathResolver = createPathResolver(job.roots, job.disabledSkills);
  return resolver.use(job.path, {}, async (place) => {
    const stat = await lstat(place.at);
    return stat.isDirectory() ? searchTree(job, place, finder) : finder.search(place);
  });
}

async function searchTree(job: GrepJob, place: ResolvedPath, finder: Finder): Promise<boolean> {
  const isWanted = job.glob === undefined ? () => true : fileFilter(job.glob);
  const enters = searchScope(job.path, job.glob);
  let seen = 0;
  for await (const entry of walkTree(place.at, { enters })) {
    seen += 1;
    if (seen > SEARCH_MAX_ENTRIES) return true;
    if (entry.kind !== "file" || !isWanted(entry.relative)) continue;
    const file = { at: entry.at, virtual: `${place.virtual}/${entry.relative}` };
    if (await unlessUnreadable(() => finder.search(file))) return true;
  }
  return false;
}

function createFinder(job: GrepJob, post: (answer: SearchAnswer) => void): Finder {
  const matches = lineMatcher(job);
  let found = 0;
  return {
    async search(file) {
      return withReadable(file, async ({ handle }) => {
        for await (const { text, number } of linesOf(handle)) {
          if (!matches(text)) continue;
          if (found === job.limit) return true;
          found += 1;
          post({ kind: "matches", matches: [matchOf(file.virtual, number, text)] });
        }
        return false;
      });
    },
  };
}

function matchOf(path: string, line: number, text: string): GrepMatch {
  return { path, line, text: headOf(text, LINE_MAX_CHARS) };
}

/** A file that went away or may not be read is left out, as grep does; the rest is still searched. */
async function unlessUnreadable(act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    if (["ENOENT", "EACCES", "EPERM", "ELOOP", "ENXIO"].includes(systemCodeOf(error) ?? "")) return false;
    throw error;
  }
}
