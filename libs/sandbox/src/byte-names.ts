import { headOf } from "@antler/contracts";

const ESCAPE = /\\x([0-9a-f]{2})/g;
const SHOWN_MAX_CHARS = 300;
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/gu;

/**
 * A file name, which is bytes, as one line of text: bytes that are not UTF-8 and control characters stand as `\xNN`.
 * {@link bytesOfEscapedName} turns it back.
 */
export function displayName(name: Buffer): string {
  const text = name.toString("utf8");
  const readable = Buffer.from(text).equals(name) ? text : escapeInvalid(name);
  return readable.replace(UNPRINTABLE, (character) => escapeBytes(Buffer.from(character)));
}

/** The bytes that an escaped name stands for; undefined when it holds no escape. */
export function bytesOfEscapedName(name: string): Buffer | undefined {
  if (name.search(ESCAPE) === -1) return undefined;
  const binary = Buffer.from(name).toString("latin1");
  return Buffer.from(
    binary.replace(ESCAPE, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** Decodes the longest UTF-8 sequence at each place and escapes the bytes that begin none. */
function escapeInvalid(name: Buffer): string {
  let shown = "";
  for (let at = 0; at < name.length;) {
    const size = sequenceLength(name, at);
    shown += size === 0 ? escapeBytes(name.subarray(at, at + 1)) : name.toString("utf8", at, at + size);
    at += Math.max(1, size);
  }
  return shown;
}

/** Bytes of the valid UTF-8 sequence that begins at `at`; 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (const size of [1, 2, 3, 4]) {
    const part = bytes.subarray(at, at + size);
    const text = part.toString("utf8");
    if (part.length === size && text.length === (size === 4 ? 2 : 1) && Buffer.from(text).equals(part)) return size;
  }
  return 0;
}

function escapeBytes(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** The name as errors show it: its first 300 characters, with an ellipsis when there are more. */
export function shortName(name: string): string {
  const text = name.toWellFormed();
  return text.length > SHOWN_MAX_CHARS ? `${headOf(text, SHOWN_MAX_CHARS)}…` : text;
}
