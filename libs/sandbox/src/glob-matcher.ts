import picomatch from "picomatch";

import { AntlerError, messageOf } from "@antler/contracts";

const OPTIONS = { dot: true, strictBrackets: true } as const;

/** Matches a path by a glob pattern. Errors: `invalid_request`. */
export function globMatcher(pattern: string): (path: string) => boolean {
  return matcher(pattern, false);
}

/** Like {@link globMatcher}, but a pattern without a slash is held against the last component. */
export function fileFilter(pattern: string): (path: string) => boolean {
  return matcher(pattern, !pattern.includes("/"));
}

function matcher(pattern: string, basename: boolean): (path: string) => boolean {
  if (pattern === "" || pattern.length > 4096)
    throw new AntlerError("invalid_request", "Field pattern must have 1 to 4,096 characters");
  try {
    return picomatch(pattern, { ...OPTIONS, basename });
  } catch (error) {
    throw new AntlerError("invalid_request", `Field pattern is not a glob pattern: ${messageOf(error)}`);
  }
}
