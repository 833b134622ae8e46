import { AntlerError, headOf } from "@antler/contracts";

import { chunksOf, looksBinary, withReadable } from "./open-regular.ts";
import type { ResolvedPath } from "./path-resolver.ts";
import type { ReadOptions, ReadResult } from "./sandbox.ts";

export const READ_MAX_CHARS = 50_000;
/** How far into a file a line is looked for. */
const SCAN_MAX_BYTES = 64 * 1024 * 1024;

interface Window {
  readonly first: number;
  readonly last: number;
  readonly maxChars: number;
}

/** Reads the wanted lines, never more of the file than needed, and never cuts inside a character. */
export async function readText(file: ResolvedPath, options: ReadOptions): Promise<ReadResult> {
  const window = windowOf(options);
  return withReadable(file, async ({ handle, sizeBytes }) => {
    const collector = createCollector(window);
    const decoder = new TextDecoder();
    let isFirst = true;
    let scanned = 0;
    for await (const chunk of chunksOf(handle, SCAN_MAX_BYTES)) {
      options.signal?.throwIfAborted();
      if (isFirst && looksBinary(chunk)) return { kind: "binary", sizeBytes };
      isFirst = false;
      scanned += chunk.length;
      if (collector.push(decoder.decode(chunk, { stream: true }))) break;
    }
    collector.push(decoder.decode());
    const { text, isCut } = collector.end();
    return { kind: "text", text, truncated: isCut || scanned >= SCAN_MAX_BYTES, sizeBytes };
  });
}

function windowOf(options: ReadOptions): Window {
  const first = options.startLine ?? 1;
  const last = options.endLine ?? Number.POSITIVE_INFINITY;
  if (first < 1) throw new AntlerError("invalid_request", "Field start_line must be 1 or more");
  if (last < first) throw new AntlerError("invalid_request", "Field end_line must not be before start_line");
  return { first, last, maxChars: Math.max(1, Math.min(options.maxChars ?? READ_MAX_CHARS, READ_MAX_CHARS)) };
}

interface Collector {
  /** Takes more text; true once nothing further is wanted. */
  push(text: string): boolean;
  end(): { readonly text: string; readonly isCut: boolean };
}

/** Keeps the lines of the window, up to one character more than allowed so that a cut is noticed. */
function createCollector({ first, last, maxChars }: Window): Collector {
  let line = 1;
  let kept = "";
  return {
    push(text) {
      for (let at = 0; at < text.length && line <= last && kept.length <= maxChars;) {
        const newline = text.indexOf("\n", at);
        const end = newline === -1 ? text.length : newline + 1;
        if (line >= first) kept += text.slice(at, Math.min(end, at + maxChars + 1));
        if (newline !== -1) line += 1;
        at = end;
      }
      return line > last || kept.length > maxChars;
    },
    end: () => ({ text: headOf(kept, maxChars), isCut: kept.length > maxChars }),
  };
}
