import { AntlerError, type SkillsConfig } from "@antler/contracts";

import { escapedMarkup } from "../messages/escaped-markup.ts";
import { type Skill, skillLocation } from "./skill.ts";

/** Most bytes of all skills together in a system prompt. */
const EAGER_MAX_BYTES = 512 * 1024;

/**
 * What a system prompt says of skills; nothing when there are none.
 * @throws AntlerError `skill_invalid` when whole skills are too long for a prompt.
 */
export function skillSections(skills: readonly Skill[], loading: SkillsConfig["loading"]): string[] {
  if (skills.length === 0) return [];
  return [loading === "eager" ? wholeSkills(skills) : listedSkills(skills)];
}

function wholeSkills(skills: readonly Skill[]): string {
  const parts = skills.map((skill) => `<skill ${attributes(skill)}>\n${skill.body}\n</skill>`);
  const text = `<skills>\nFollow a skill whenever your work is of its kind.\n\n${parts.join("\n\n")}\n</skills>`;
  if (Buffer.byteLength(text) <= EAGER_MAX_BYTES) return text;
  throw new AntlerError(
    "skill_invalid",
    `Field skills.loading: ${skills.length} whole skills are more than ${EAGER_MAX_BYTES} bytes; ` +
      "set it to metadata, or name fewer skills in the type's skills",
  );
}

function attributes(skill: Skill): string {
  return `name="${skill.name}" location="${skillLocation(skill)}"`;
}

function listedSkills(skills: readonly Skill[]): string {
  const lines = skills.map((skill) => `<skill ${attributes(skill)}>${escapedMarkup(skill.description)}</skill>`);
  const lead = "Before you begin work that one of these describes, read its file at the location with read_file.";
  return `<available_skills>\n${lead}\n${lines.join("\n")}\n</available_skills>`;
}
