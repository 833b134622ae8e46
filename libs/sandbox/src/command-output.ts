import { headOf, tailOf } from "@antler/contracts";

export const OUTPUT_MAX_CHARS = 20_000;
/** Room for the line that says how much is left out. */
const NOTE_ROOM = 64;

export interface CollectedOutput {
  readonly output: string;
  readonly truncated: boolean;
}

export interface OutputCollector {
  push(bytes: Buffer): void;
  end(): CollectedOutput;
}

/** Rewrites text as it streams by; `end` gives what was held back. */
export interface TextFilter {
  push(text: string): string;
  end(): string;
}

/**
 * Keeps the head and the tail of a command's output in bounded memory, however much comes. Characters that arrive in
 * pieces are put together; bytes that are not UTF-8 show as U+FFFD.
 */
export function createOutputCollector(filter: TextFilter, maxChars: number = OUTPUT_MAX_CHARS): OutputCollector {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const kept = createHeadAndTail(maxChars);
  return {
    push: (bytes) => kept.push(filter.push(decoder.decode(bytes, { stream: true }))),
    end() {
      kept.push(filter.push(decoder.decode()) + filter.end());
      return kept.end();
    },
  };
}

interface HeadAndTail {
  push(text: string): void;
  end(): CollectedOutput;
}

function createHeadAndTail(maxChars: number): HeadAndTail {
  let head = "";
  let tail = "";
  let total = 0;
  return {
    push(text) {
      total += text.length;
      const room = maxChars - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      if (tail.length > 4 * maxChars) tail = tail.slice(-maxChars);
    },
    end() {
      if (total <= maxChars) return { output: head, truncated: false };
      return { output: cutMiddle(head, head + tail.slice(-maxChars), { total, maxChars }), truncated: true };
    },
  };
}

function cutMiddle(head: string, rest: string, size: { readonly total: number; readonly maxChars: number }): string {
  const half = Math.floor((size.maxChars - NOTE_ROOM) / 2);
  const note = `\n… ${size.total - 2 * half} characters left out …\n`;
  return headOf(head, half) + note + tailOf(rest, half);
}
