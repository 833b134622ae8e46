import { Worker } from "node:worker_threads";

import { AntlerError, messageOf } from "@antler/contracts";

import type { PathResolver } from "./path-resolver.ts";
import type { GlobOptions, GlobResult, GrepMatch, GrepRequest, GrepResult } from "./sandbox.ts";
import type { SearchAnswer, SearchJob } from "./search-job.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";

export const GLOB_MAX_PATHS = 200;
export const GREP_MAX_MATCHES = 100;
/** Patterns come from a model: one that runs away costs this long. */
export const SEARCH_TIMEOUT_MS = 20_000;

export interface SearchDeps {
  readonly resolver: PathResolver;
  readonly timeoutMs?: number;
}

/** Files that match a glob pattern. Errors: `path_refused`, `invalid_request` for a pattern that cannot be read. */
export async function globFiles(deps: SearchDeps, pattern: string, options: GlobOptions): Promise<GlobResult> {
  const paths: string[] = [];
  const job: SearchJob = {
    kind: "glob",
    roots: deps.resolver.roots,
    pattern,
    path: options.path ?? WORKSPACE_ROOT,
    limit: limitOf(options.limit, GLOB_MAX_PATHS),
    includeDirectories: options.includeDirectories === true,
  };
  const end = await runSearch(deps, job, {
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
    pattern: request.pattern,
    path: request.path ?? WORKSPACE_ROOT,
    glob: request.glob,
    limit: limitOf(request.limit, GREP_MAX_MATCHES),
    ignoreCase: request.ignoreCase === true,
    literal: request.literal === true,
  };
  const end = await runSearch(deps, job, {
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

interface Search {
  readonly signal: AbortSignal | undefined;
  take(answer: SearchAnswer): void;
}

interface SearchEnd {
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Searches in a thread of its own, which can be stopped in the middle of a regular expression. */
async function runSearch(deps: SearchDeps, job: SearchJob, search: Search): Promise<SearchEnd> {
  search.signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<SearchEnd>();
  const worker = new Worker(workerFile(), { workerData: job, env: {}, stdin: false });
  const timer = setTimeout(() => resolve({ truncated: true, timedOut: true }), deps.timeoutMs ?? SEARCH_TIMEOUT_MS);
  const abort = () => reject(search.signal?.reason as Error);
  search.signal?.addEventListener("abort", abort, { once: true });
  worker.on("message", (answer: SearchAnswer) => {
    if (answer.kind === "end") resolve({ truncated: answer.truncated, timedOut: false });
    else if (answer.kind === "fault") reject(new AntlerError(answer.code, answer.message, { details: answer.details }));
    else search.take(answer);
  });
  worker.on("error", (error) => reject(new AntlerError("internal", `Search failed: ${messageOf(error)}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    search.signal?.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

/** Beside this file, as source or compiled. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js", import.meta.url);
}
