import { neutralTags } from "./neutral-tags.ts";

const BEGIN = "--- BEGIN USER INPUT ---";
const END = "--- END USER INPUT ---";

/** A line in the text itself that looks like one of the markers. */
const MARKER_LINE = /-{2,}[ \t]*(BEGIN|END)[ \t]+USER[ \t]+INPUT[ \t]*-{2,}/gi;

/** What a user or a lead has written, marked as such for the model, and unable to pass for words of the system. */
export function markedInput(text: string): string {
  const neutral = neutralTags(text).replace(MARKER_LINE, "[$1 USER INPUT]");
  return `${BEGIN}\n${neutral}\n${END}`;
}
