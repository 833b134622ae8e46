/** Tags that only prompts of the system itself may hold: what comes from elsewhere could pass for them. */
const TAGS = [
  "role",
  "system",
  "system_prompt",
  "system-reminder",
  "working_directory",
  "subagent_system",
  "skill",
  "skills",
  "available_skills",
  "available-deferred-tools",
  "durable_context_data",
  "current_date",
  "guidelines",
  "output_format",
  "acceptance_criteria",
  "report_contract",
];

/** White space and characters that show nothing: they may stand inside a tag and hide it. */
const GAP = "[\\s\\u00ad\\u034f\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufe00-\\ufe0f\\ufeff]*";

/** A name with gaps between its letters; none before the first, so that no two gaps meet and matching stays linear. */
const spaced = (tag: string) => Array.from(tag, (letter) => letter.replace(/[-_]/, "[-_]")).join(GAP);

/** `<`, perhaps a slash, one of the names, and then the end of the tag or something that cannot be part of a name. */
const OPENING = new RegExp(`<(?=${GAP}(?:/${GAP})?(?:${TAGS.map(spaced).join("|")})(?![a-z0-9_-]))`, "giu");

/** The text with exactly those tags made harmless; everything else stays as it is. */
export function neutralTags(text: string): string {
  return text.replace(OPENING, "&lt;");
}
