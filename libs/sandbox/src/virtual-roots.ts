import type { ThreadData } from "@antler/contracts";

export const WORKSPACE_ROOT = "/mnt/user-data/workspace";
export const UPLOADS_ROOT = "/mnt/user-data/uploads";
export const OUTPUTS_ROOT = "/mnt/user-data/outputs";
export const SKILLS_ROOT = "/mnt/skills";
/** Holds the three writable roots; can be listed, holds no files itself. */
export const USER_DATA = "/mnt/user-data";

/** A virtual directory and where it lies on the host. */
export interface VirtualRoot {
  readonly virtual: string;
  readonly host: string;
  readonly readOnly: boolean;
}

/** What the paths of an execution are looked for in. */
export interface VirtualPlaces {
  readonly roots: readonly VirtualRoot[];
  /** Names below `/mnt/skills` that are refused as disabled. */
  readonly disabledSkills: readonly string[];
}

/** The same for every thread: what differs is where the roots lie. */
export const THREAD_DATA: ThreadData = {
  workspace_path: WORKSPACE_ROOT,
  uploads_path: UPLOADS_ROOT,
  outputs_path: OUTPUTS_ROOT,
};

/** What follows the prefix when `path` is the prefix or lies below it; `/a/b-evil` does not lie below `/a/b`. */
export function below(prefix: string, path: string): string | undefined {
  if (path === prefix) return "";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : undefined;
}
