import { outsideRoots, pathRefused } from "./path-refusal.ts";
import type { VirtualPlaces, VirtualRoot } from "./virtual-roots.ts";
import { below, WORKSPACE_ROOT } from "./virtual-roots.ts";

const MAX_PATH_BYTES = 4096;

export interface LocatedPath {
  readonly root: VirtualRoot;
  /** The components below the root, as bytes. */
  readonly segments: readonly Buffer[];
  /** The absolute virtual path without trailing slash. */
  readonly virtual: string;
}

/** Finds the root of a path by its text alone. Errors: `path_refused`. */
export function locateVirtual(places: VirtualPlaces, path: string, { write = false } = {}): LocatedPath {
  const virtual = absoluteVirtual(path);
  for (const root of places.roots) {
    const rest = below(root.virtual, virtual);
    if (rest === undefined) continue;
    const segments = rest.split("/").filter((segment) => segment !== "");
    return { root, virtual, segments: segments.map((segment) => Buffer.from(segment)) };
  }
  throw outsideRoots(virtual, path, { ...places, write });
}

/** The path made absolute and free of `.`, doubled and trailing slashes; `..` is refused. */
export function absoluteVirtual(path: string): string {
  if (path === "" || path.includes("\0") || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw pathRefused("bad_name", path.replaceAll("\0", "\\x00"));
  const absolute = path.startsWith("/") ? path : `${WORKSPACE_ROOT}/${path}`;
  const segments = absolute.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw pathRefused("traversal", path);
  return `/${segments.join("/")}`;
}
