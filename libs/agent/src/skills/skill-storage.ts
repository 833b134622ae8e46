import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";

import { AntlerError, type SkillsConfig } from "@antler/contracts";

import { parseSkill, SKILL_FILE_MAX_BYTES } from "./parse-skill.ts";
import { type Skill, SKILL_FILE } from "./skill.ts";
import { skillFault, unreadableSkill } from "./skill-fault.ts";
import { realPathWithin, type SkillFolder, skillFolders } from "./skill-folders.ts";

/** Most skills that one agent is given. */
const SKILLS_MAX = 100;

/** Where skills come from. */
export interface SkillStorage {
  /** Names that no agent gets. */
  readonly disabled: readonly string[];
  /**
   * The tenant's enabled skills and the shared ones, by name; only those `wanted` unless it is null. Names that are not
   * there, or are disabled, are silently absent.
   * @throws AntlerError `skill_invalid` that names the file and the field.
   */
  load(tenantId: string, wanted: readonly string[] | null): Promise<readonly Skill[]>;
}

/** Skills in folders below `skills.dir`, read anew each time. */
export function createSkillStorage({ dir, disabled }: SkillsConfig): SkillStorage {
  return {
    disabled,
    async load(tenantId, wanted) {
      if (dir === null) return [];
      const isWanted = (name: string) => !disabled.includes(name) && (wanted === null || wanted.includes(name));
      const folders = await skillFolders(dir, { tenantId, isWanted });
      if (folders.length > SKILLS_MAX) throw tooMany(folders.length);
      return Promise.all(folders.map((folder) => skillIn(folder)));
    },
  };
}

function tooMany(count: number): AntlerError {
  return new AntlerError(
    "skill_invalid",
    `Field skills.dir: ${count} skills are more than ${SKILLS_MAX}; name those that are needed in the type's skills`,
  );
}

async function skillIn({ name, shown, directory }: SkillFolder): Promise<Skill> {
  const file = `${shown}/${SKILL_FILE}`;
  const path = await realPathWithin(directory, join(directory, SKILL_FILE), file);
  return { ...parseSkill(file, name, await textOf(path, file)), directory };
}

async function textOf(path: string, file: string): Promise<string> {
  const bytes = await bytesOf(path, file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw skillFault(file, "is not valid UTF-8", error);
  }
}

async function bytesOf(path: string, file: string): Promise<Buffer> {
  const stat = await lstat(path).catch((error: unknown) => {
    throw unreadableSkill(file, error);
  });
  if (!stat.isFile()) throw skillFault(file, "is not a regular file");
  if (stat.size > SKILL_FILE_MAX_BYTES)
    throw skillFault(file, `is longer than ${SKILL_FILE_MAX_BYTES} bytes; move parts into files beside it`);
  return readFile(path).catch((error: unknown) => {
    throw unreadableSkill(file, error);
  });
}
