import { AntlerError, isAntlerError } from "@antler/contracts";

import { shortName } from "./byte-names.ts";
import { skillOf } from "./skill-mounts.ts";
import { below, SKILLS_ROOT } from "./virtual-roots.ts";

const MESSAGES = {
  outside_roots:
    "is outside the sandbox; use a path under /mnt/user-data/workspace, /mnt/user-data/uploads or /mnt/user-data/outputs",
  skill_disabled: "belongs to a disabled skill",
  traversal: "holds a `..` segment; write the absolute path instead",
  bad_name: "is not a usable path; it is empty, too long or holds a NUL character",
  read_only: "is read-only; write under /mnt/user-data/workspace or /mnt/user-data/outputs",
  link_escapes: "goes through a link that leaves the sandbox; use a path inside it",
  link_loop: "goes through too many links; use a path without a link loop",
  not_found: "does not exist; list its directory to see what is there",
  not_a_directory: "is not a directory; name a directory",
  is_a_directory: "is a directory; name a file",
  not_a_file: "is not a regular file; FIFOs, sockets and devices are never opened",
  too_large: "is too large for this operation; use a command instead",
  binary: "is a binary file; use a command instead",
  permission: "is not accessible; change its permissions with a command",
  no_space: "cannot be written, because the disk is full; remove files that are not needed",
} as const;

/** Why a path was refused; stands in `details.reason` of a `path_refused` error. */
export type PathRefusalReason = keyof typeof MESSAGES;

/** A `path_refused` error. The path is shown as the caller wrote it, cut to 300 characters. */
export function pathRefused(reason: PathRefusalReason, path: string, cause?: unknown): AntlerError {
  const shown = shortName(path);
  const options = { details: { reason, path: shown }, ...(cause === undefined ? {} : { cause }) };
  return new AntlerError("path_refused", `Path ${shown} ${MESSAGES[reason]}`, options);
}

export interface OutsideFacts {
  readonly disabledSkills: readonly string[];
  readonly write: boolean;
}

/** The refusal of a path that lies in no root; below `/mnt/skills` it says what is the matter with the skill. */
export function outsideRoots(virtual: string, path: string, { disabledSkills, write }: OutsideFacts): AntlerError {
  const skill = skillOf(virtual);
  if (skill !== undefined && disabledSkills.includes(skill)) return skillDisabled(skill, path);
  if (below(SKILLS_ROOT, virtual) === undefined) return pathRefused("outside_roots", path);
  if (write) return pathRefused("read_only", path);
  return pathRefused(skill === undefined ? "outside_roots" : "not_found", path);
}

function skillDisabled(skill: string, path: string): AntlerError {
  const { details } = pathRefused("skill_disabled", path);
  const message = `Skill '${skill}' is disabled. Its files cannot be read or run; go on without it`;
  return new AntlerError("path_refused", message, { details });
}

/** The reason of a `path_refused` error; undefined for anything else. */
export function refusalReasonOf(error: unknown): PathRefusalReason | undefined {
  if (!isAntlerError(error, "path_refused")) return undefined;
  const reason = error.details["reason"];
  return typeof reason === "string" && reason in MESSAGES ? (reason as PathRefusalReason) : undefined;
}
