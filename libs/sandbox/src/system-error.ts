import { AntlerError, isAntlerError } from "@antler/contracts";

import type { PathRefusalReason } from "./path-refusal.ts";
import { pathRefused } from "./path-refusal.ts";

const REASONS: Readonly<Record<string, PathRefusalReason>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_a_directory",
  EISDIR: "is_a_directory",
  ELOOP: "link_escapes",
  ENAMETOOLONG: "bad_name",
  EACCES: "permission",
  EPERM: "permission",
  EROFS: "read_only",
  ENXIO: "not_a_file",
  ENODEV: "not_a_file",
  ENOSPC: "no_space",
  EDQUOT: "no_space",
};

/** The code of a failed system call, such as ENOENT; undefined for any other error. */
export function systemCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** A failed system call as an Antler error that names the virtual path and no path of the host. */
export function fileError(error: unknown, path: string): unknown {
  const code = systemCodeOf(error);
  if (code === undefined || isAntlerError(error)) return error;
  const reason = REASONS[code];
  if (reason !== undefined) return pathRefused(reason, path, error);
  return new AntlerError("internal", `Path ${path} cannot be used: the file system answered ${code}`, { cause: error });
}
