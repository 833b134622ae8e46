import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { type Pack, pack } from "tar-stream";

import { SetupError } from "../../setup-error.ts";
import { show, type WorkspaceFile } from "./scan-workspace.ts";

/** A tar stream of the files, read as it is consumed. It fails when a file changes its size meanwhile. */
export function packWorkspace(files: readonly WorkspaceFile[]): Readable {
  const archive = pack();
  void fill(archive, files).catch((error: unknown) => archive.destroy(error as Error));
  return Readable.from(archive, { objectMode: false });
}

async function fill(archive: Pack, files: readonly WorkspaceFile[]): Promise<void> {
  for (const file of files) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, file: WorkspaceFile): Promise<void> {
  const { path, hostPath, sizeBytes, mode } = file;
  if (sizeBytes === 0) return void archive.entry({ name: path, mode }, "");
  const entry = archive.entry({ name: path, size: sizeBytes, mode });
  await pipeline(createReadStream(hostPath, { end: sizeBytes - 1 }), whole, entry as unknown as NodeJS.WritableStream);

  async function* whole(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let readBytes = 0;
    for await (const chunk of chunks) {
      readBytes += chunk.length;
      yield chunk;
    }
    if (readBytes < sizeBytes) throw new SetupError(`${show(path)} shrank while it was uploaded; try again`);
  }
}
