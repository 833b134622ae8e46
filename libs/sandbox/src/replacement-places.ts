/** Bytes `from` up to `to` of a file, and the bytes that take their place. */
export interface ReplacementPlace {
  readonly from: number;
  readonly to: number;
  readonly inserted: Buffer;
}

export interface WantedReplacement {
  readonly oldText: string;
  readonly newText: string;
  readonly max: number;
}

/**
 * Where the wanted text stands in a file, byte for byte. A bare `\n` in it stands for either line end, and one in the
 * new text becomes the line end of its place, so that files with CRLF can be edited by whoever writes LF. With a `\r`
 * in either text both are taken as they are.
 */
export function replacementPlaces(contents: Buffer, wanted: WantedReplacement): ReplacementPlace[] {
  const text = contents.toString("latin1");
  const [oldBytes, newBytes] = [bytesOf(wanted.oldText), bytesOf(wanted.newText)];
  const isExact = oldBytes.includes("\r") || newBytes.includes("\r");
  const pattern = new RegExp(isExact ? escaped(oldBytes) : anyLineEnds(oldBytes), "g");
  const places: ReplacementPlace[] = [];
  for (const { 0: found, index: from } of text.matchAll(pattern)) {
    if (places.length >= wanted.max) break;
    const to = from + found.length;
    const inserted = isExact ? newBytes : withLineEnds(newBytes, lineEndsOf(found), lineEndAround(text, from, to));
    places.push({ from, to, inserted: Buffer.from(inserted, "latin1") });
  }
  return places;
}

/** One character a byte, so that places in the text are places in the file. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function anyLineEnds(text: string): string {
  return text.split("\n").map(escaped).join("\\r?\\n");
}

function escaped(text: string): string {
  return text.replaceAll(/[^0-9A-Za-z]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function lineEndsOf(text: string): readonly string[] {
  return text.match(/\r?\n/g) ?? [];
}

/** Each line keeps the end of the line that it replaces; further ones take that of the last. */
function withLineEnds(text: string, replaced: readonly string[], around: string): string {
  const last = replaced.at(-1) ?? around;
  return text
    .split("\n")
    .map((line, index) => (index === 0 ? line : `${replaced[index - 1] ?? last}${line}`))
    .join("");
}

/** The next line end after a place, or the one before it where the file ends without. */
function lineEndAround(text: string, from: number, to: number): string {
  const next = text.indexOf("\n", to);
  const at = next === -1 ? text.lastIndexOf("\n", from) : next;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}
