import type { PathResolver } from "./path-resolver.ts";
import type { GlobOptions, GlobResult, GrepMatch, GrepRequest, GrepResult } from "./sandbox.ts";
import type { SearchJob } from "./search-job.ts";
import type { SearchThreads } from "./search-threads.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";

export const GLOB_MAX_PATHS = 200;
export const GREP_MAX_MATCHES = 100;
/** Patterns come from a model: one that runs away costs this long. */
const SEARCH_TIMEOUT_MS = 20_000;

export interface SearchDeps {
  readonly resolver: PathResolver;
  readonly threads: SearchThreads;
  readonly timeoutMs?: number;
}

/** Files that match a glob pattern. Errors: `path_refused`, `invalid_request` for a pattern that cannot be read. */
export async function globFiles(deps: SearchDeps, pattern: string, options: GlobOptions): Promise<GlobResult> {
  const paths: string[] = [];
  const job: SearchJob = {
    kind: "glob",
    roots: deps.resolver.roots,
    disabledSkills: deps.resolver.disabledSkills,
    pattern,
    path: options.path ?? WORKSPACE_ROOT,
    limit: limitOf(options.limit, GLOB_MAX_PATHS),
    includeDirectories: options.includeDirectories === true,
  };
  const end = await deps.threads.run({
    job,
    timeoutMs: deps.timeoutMs ?? SEARCH_TIMEOUT_MS,
    signal: options.signal,
    take: (answer) => {
      if (answer.kind === "paths") paths.push(...answer.paths);
    },
  });
  return { paths, ...end };
}

/** Lines that match. Errors: `path_refused`, `invalid_request` for a pattern that cannot be read. */
export async function grepFiles(deps: SearchDeps, request: GrepRequest): Promise<GrepResult> {
  const matches: GrepMatch[] = [];
  const job: SearchJob = {
    kind: "grep",
    roots: deps.resolver.roots,
    disabledSkills: deps.resolver.disabledSkills,
    pattern: request.pattern,
    path: request.path ?? WORKSPACE_ROOT,
    glob: request.glob,
    limit: limitOf(request.limit, GREP_MAX_MATCHES),
    ignoreCase: request.ignoreCase === true,
    literal: request.literal === true,
  };
  const end = await deps.threads.run({
    job,
    timeoutMs: deps.timeoutMs ?? SEARCH_TIMEOUT_MS,
    signal: request.signal,
    take: (answer) => {
      if (answer.kind === "matches") matches.push(...answer.matches);
    },
  });
  return { matches, ...end };
}

function limitOf(wanted: number | undefined, max: number): number {
  return Math.max(1, Math.min(wanted ?? max, max));
}
