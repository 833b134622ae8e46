import type { Skill } from "./skill.ts";

/**
 * What skills allow together: all that any of them lists. One without a list does not restrict and adds nothing; null
 * when none has a list.
 */
export function allowedTools(skills: readonly Pick<Skill, "allowedTools">[]): readonly string[] | null {
  const lists = skills.flatMap(({ allowedTools: list }) => (list === null ? [] : [list]));
  return lists.length === 0 ? null : [...new Set(lists.flat())];
}
