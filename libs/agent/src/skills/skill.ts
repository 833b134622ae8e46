import { SKILLS_ROOT } from "@antler/sandbox";

/** Name of the file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** Instructions for one kind of work, with the files that belong to them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** Tools that the skill allows; null when it does not restrict them. */
  readonly allowedTools: readonly string[] | null;
  /** Its folder on the host, free of links. */
  readonly directory: string;
}

/** Where an agent reads the skill. */
export function skillLocation({ name }: Pick<Skill, "name">): string {
  return `${SKILLS_ROOT}/${name}/${SKILL_FILE}`;
}
