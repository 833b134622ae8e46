import { AntlerError, messageOf } from "@antler/contracts";

/** A `skill_invalid` error. Files are named relative to `skills.dir`, so that no path of the host shows. */
export function skillFault(file: string, fault: string, cause?: unknown): AntlerError {
  return new AntlerError("skill_invalid", `Skill file ${file}: ${fault}`, {
    details: { file },
    ...(cause !== undefined && { cause }),
  });
}

/** The fault of a file that the system does not let be read. */
export function unreadableSkill(file: string, error: unknown): AntlerError {
  const code = systemCode(error);
  if (code === "ENOENT") return skillFault(file, "is missing; add it, or remove its folder", error);
  return skillFault(file, `cannot be read (${code ?? messageOf(error)})`, error);
}

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
