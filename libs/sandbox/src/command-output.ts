import { headOf, tailOf } from "@antler/contracts";

export const OUTPUT_MAX_CHARS = 20_000;
/** Bytes kept at each end: enough for all characters shown, however wide. */
const KEPT_BYTES = 128 * 1024;
/** Room for the line that says how much is left out. */
const NOTE_ROOM = 64;

interface CollectedOutput {
  readonly output: string;
  readonly truncated: boolean;
}

export interface OutputCollector {
  /** Copies what it keeps. */
  push(bytes: Buffer): void;
  end(): CollectedOutput;
}

/**
 * Keeps the head and the tail of a command's output in bounded memory, however much comes. Decoding is done on what is
 * kept, so characters that arrive in pieces are whole; bytes that are not UTF-8 show as U+FFFD.
 */
export function createOutputCollector(mask: (text: string) => string): OutputCollector {
  const head = Buffer.alloc(KEPT_BYTES);
  const tail = createRing(KEPT_BYTES);
  let totalBytes = 0;
  return {
    push(bytes) {
      const taken = totalBytes < KEPT_BYTES ? bytes.copy(head, totalBytes) : 0;
      tail.push(bytes.subarray(taken));
      totalBytes += bytes.length;
    },
    end() {
      const [first, last] = [head.subarray(0, totalBytes), tail.bytes()];
      const isWhole = first.length + last.length === totalBytes;
      if (isWhole) return fit(mask(Buffer.concat([first, last]).toString("utf8")), totalBytes);
      return cut(mask(first.toString("utf8")), mask(fromBoundary(last).toString("utf8")), totalBytes);
    },
  };
}

interface Ring {
  push(bytes: Buffer): void;
  bytes(): Buffer;
}

/** The last `size` bytes of all that was pushed. */
function createRing(size: number): Ring {
  const ring = Buffer.alloc(size);
  let pushed = 0;
  return {
    push(bytes) {
      const wanted = bytes.subarray(-size);
      pushed += bytes.length - wanted.length;
      const copied = wanted.copy(ring, pushed % size);
      wanted.copy(ring, 0, copied);
      pushed += wanted.length;
    },
    bytes() {
      if (pushed <= size) return ring.subarray(0, pushed);
      return Buffer.concat([ring.subarray(pushed % size), ring.subarray(0, pushed % size)]);
    },
  };
}

function fit(text: string, totalBytes: number): CollectedOutput {
  return text.length <= OUTPUT_MAX_CHARS ? { output: text, truncated: false } : cut(text, text, totalBytes);
}

function cut(head: string, tail: string, totalBytes: number): CollectedOutput {
  const half = Math.floor((OUTPUT_MAX_CHARS - NOTE_ROOM) / 2);
  const [first, last] = [headOf(head, half), tailOf(tail, half)];
  const leftOut = Math.max(0, totalBytes - Buffer.byteLength(first) - Buffer.byteLength(last));
  return { output: `${first}\n… ${leftOut} bytes left out …\n${last}`, truncated: true };
}

/** Without the rest of a character whose beginning is not there. */
function fromBoundary(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
