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

const PIECE_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(PIECE_BYTES);

async function writeChunks(handle: FileHandle, contents: AsyncIterable<Buffer>): Promise<void> {
  let at = 0;
  for await (const chunk of contents) {
    await writeAround(handle, chunk, at);
    at += chunk.length;
  }
  await handle.truncate(at);
}

/** Writes the runs of pieces that hold anything but zeros. */
async function writeAround(handle: FileHandle, chunk: Buffer, at: number): Promise<void> {
  let begin = 0;
  for (let end = 0; end < chunk.length; end += PIECE_BYTES) {
    if (!isZero(chunk.subarray(end, end + PIECE_BYTES))) continue;
    await writeAll(handle, chunk.subarray(begin, end), at + begin);
    begin = end + PIECE_BYTES;
  }
  await writeAll(handle, chunk.subarray(begin), at + begin);
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function isZero(piece: Buffer): boolean {
  return piece.equals(ZEROS.subarray(0, piece.length));
}
