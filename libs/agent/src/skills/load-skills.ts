import type { SkillMounts } from "@antler/sandbox";

import type { Skill } from "./skill.ts";
import type { SkillStorage } from "./skill-storage.ts";

/** The skills of one execution, and what its sandbox shows of them. */
export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly mounts: SkillMounts;
}

export interface SkillRequest {
  readonly tenantId: string;
  /** Null allows all that are enabled; an empty list none, and the storage is not touched. */
  readonly allowed: readonly string[] | null;
}

/** @throws whatever the storage throws. */
export async function loadSkills(
  storage: SkillStorage | undefined,
  { tenantId, allowed }: SkillRequest,
): Promise<LoadedSkills> {
  const isNone = storage === undefined || allowed?.length === 0;
  const skills = isNone ? [] : await storage.load(tenantId, allowed);
  const shown = skills.map(({ name, directory }) => ({ name, directory }));
  return { skills, mounts: { shown, disabled: storage?.disabled ?? [] } };
}
