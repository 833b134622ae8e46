/** The day in UTC, for a system prompt; it stands last, so that what is before it stays the same from day to day. */
export function dateNote(now: Date): string {
  return `<current_date>${now.toISOString().slice(0, 10)} (UTC)</current_date>`;
}
