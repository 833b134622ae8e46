const LONE_HIGH = /[\uD800-\uDBFF]$/;
const LONE_LOW = /^[\uDC00-\uDFFF]/;

/** The first `max` UTF-16 units, never ending inside a surrogate pair. */
export function headOf(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, Math.max(0, max)).replace(LONE_HIGH, "");
}

/** The last `max` UTF-16 units, never beginning inside a surrogate pair. */
export function tailOf(text: string, max: number): string {
  return text.length <= max ? text : text.slice(text.length - Math.max(0, max)).replace(LONE_LOW, "");
}

const BREAK = "\n...\n";

/** Strips, then keeps two thirds of the room at the head and the rest at the tail, with a break between. */
export function boundText(text: string, max: number): string {
  const stripped = text.trim();
  if (stripped.length <= max) return stripped;
  if (max <= BREAK.length) return headOf(stripped, max);
  const head = Math.min(Math.floor((max * 2) / 3), max - BREAK.length);
  return `${headOf(stripped, head)}${BREAK}${tailOf(stripped, max - head - BREAK.length)}`;
}
