/** Text that cannot open or close a tag of a prompt. */
export function escapedMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
