import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";

export interface NewFile {
  readonly contents: AsyncIterable<Buffer>;
  readonly isExecutable: boolean;
}

/** Writes a new file. Chunks of nothing but zeros become holes, so that a sparse file stays sparse. */
export async function writeContents(path: Buffer, { contents, isExecutable }: NewFile): Promise<void> {
  const handle = await open(path, "wx", isExecutable ? 0o755 : 0o644);
  try {
    await writeChunks(handle, contents);
  } finally {
    await handle.close();
  }
}

async function writeChunks(handle: FileHandle, contents: AsyncIterable<Buffer>): Promise<void> {
  let at = 0;
  let endsInHole = false;
  for await (const chunk of contents) {
    endsInHole = isZero(chunk);
    if (!endsInHole) await writeAll(handle, chunk, at);
    at += chunk.length;
  }
  if (endsInHole) await handle.truncate(at);
}

async function writeAll(handle: FileHandle, chunk: Buffer, at: number): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, at + done);
    done += bytesWritten;
  }
}

const ZEROS = Buffer.alloc(64 * 1024);

function isZero(chunk: Buffer): boolean {
  for (let at = 0; at < chunk.length; at += ZEROS.length) {
    const part = chunk.subarray(at, at + ZEROS.length);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}
