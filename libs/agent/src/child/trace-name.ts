/** The name under which traces show a subagent: its type in lower case, with single hyphens for all else. */
export function traceName(type: string): string {
  const name = type
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return name === "" ? "subagent" : `subagent:${name}`;
}
