import type { FileHandle } from "node:fs/promises";

import { chunksOf, looksBinary } from "./open-regular.ts";

/** How much of one file is searched. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;
/** A longer line is taken in pieces, so that memory stays bounded. */
const LINE_MAX_CHARS = 256 * 1024;

export interface NumberedLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** The lines of a text file, without their ends; none of a binary file. */
export async function* linesOf(handle: FileHandle): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder();
  let isFirst = true;
  let number = 1;
  let rest = "";
  for await (const chunk of chunksOf(handle, FILE_MAX_BYTES)) {
    if (isFirst && looksBinary(chunk)) return;
    isFirst = false;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      yield { text: withoutReturn(line), number };
      number += 1;
    }
    if (rest.length > LINE_MAX_CHARS) {
      yield { text: rest, number };
      rest = "";
    }
  }
  rest += decoder.decode();
  if (rest !== "") yield { text: withoutReturn(rest), number };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
