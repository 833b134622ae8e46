import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

import type { Say } from "../report-step.ts";

const rotateAtBytes = 10 * 1024 * 1024;
const rememberedLines = 20;

/** Where the output of one process goes. */
export interface ProcessLog {
  readonly path: string;
  write(line: string): void;
  /** The last lines, for a message about a process that died. */
  tail(): readonly string[];
  close(): void;
}

export interface ProcessLogOptions {
  readonly folder: string;
  readonly name: string;
  /** Also told each line, prefixed with the process's name; absent when quiet. */
  readonly say: Say | undefined;
}

/** Appends lines to `folder/NAME.log`; a log that has grown over 10 MiB is set aside when it is opened. */
export function openProcessLog({ folder, name, say }: ProcessLogOptions): ProcessLog {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.log`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAtBytes) renameSync(path, `${path}.1`);
  const stream = createWriteStream(path, { flags: "a" });
  // A full disk must not end the stack; the lines remain in the tail.
  stream.on("error", () => undefined);
  const lines: string[] = [];
  return {
    path,
    write: (line) => {
      lines.push(line);
      if (lines.length > rememberedLines) lines.shift();
      stream.write(`${line}\n`);
      say?.(`[${name}] ${line}`);
    },
    tail: () => lines,
    close: () => void stream.end(),
  };
}
