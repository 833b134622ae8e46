import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";

import { pathRefused } from "./path-refusal.ts";
import type { ResolvedPath } from "./path-resolver.ts";

/** Neither follows a link put in meanwhile nor waits for the other end of a FIFO. */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK;

type FilePlace = Pick<ResolvedPath, "at" | "virtual">;

export interface OpenFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
}

/** Opens a regular file for reading, calls `act` and closes it. Errors: `path_refused`. */
export async function withReadable<T>(file: FilePlace, act: (open: OpenFile) => Promise<T>): Promise<T> {
  return withRegular(file, constants.O_RDONLY, act);
}

/** Opens a regular file for appending, making it when it is missing. Errors: `path_refused`. */
export async function withAppendable<T>(file: ResolvedPath, act: (open: OpenFile) => Promise<T>): Promise<T> {
  return withRegular(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, act);
}

async function withRegular<T>(file: FilePlace, flags: number, act: (open: OpenFile) => Promise<T>): Promise<T> {
  const handle = await open(file.at, flags | SAFE, 0o644);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw pathRefused("is_a_directory", file.virtual);
    if (!stat.isFile()) throw pathRefused("not_a_file", file.virtual);
    return await act({ handle, sizeBytes: stat.size });
  } finally {
    await handle.close();
  }
}

const CHUNK_BYTES = 64 * 1024;

/** The file's bytes from the beginning, in chunks, at most `maxBytes` in all. Each chunk is valid until the next. */
export async function* chunksOf(handle: FileHandle, maxBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; at < maxBytes;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, maxBytes - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Whether a file's first bytes are those of a binary file: a NUL among the first 8,000. */
export function looksBinary(beginning: Buffer): boolean {
  return beginning.subarray(0, 8000).includes(0);
}
