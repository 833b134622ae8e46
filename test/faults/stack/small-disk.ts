import { execFile } from "node:child_process";
import { mkdtemp, open, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A file system of its own that is soon full. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Writes until no byte more has room. */
  fill(): Promise<void>;
  /** Makes as many files as there can be. */
  fillWithFiles(): Promise<void>;
  /** Gives back what `fill` and `fillWithFiles` took. */
  empty(): Promise<void>;
}

const SIZE = { bytes: 2 * 1024 ** 2, files: 400 };
const PIECE = Buffer.alloc(4096, "x");

/** A small tmpfs. Mounting it takes root; undefined without that. */
export async function mountSmallDisk(): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), "antler-small-disk-"));
  const options = `size=${SIZE.bytes},nr_inodes=${SIZE.files},mode=755`;
  try {
    await run("mount", ["-t", "tmpfs", "-o", options, "antler-small-disk", path]);
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  const fillers: string[] = [];
  const nextFiller = () => {
    const filler = join(path, `.filler-${fillers.length}`);
    fillers.push(filler);
    return filler;
  };
  return {
    path,
    fill: () => untilFull(() => writeOn(nextFiller())),
    fillWithFiles: () => untilFull(async () => (await open(nextFiller(), "wx")).close()),
    async empty() {
      for (const filler of fillers.splice(0)) await unlink(filler).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await run("umount", ["--lazy", path]);
      await rm(path, { recursive: true });
    },
  };
}

async function writeOn(path: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    for (;;) await file.write(PIECE);
  } finally {
    await file.close();
  }
}

async function untilFull(take: () => Promise<void>): Promise<void> {
  try {
    for (;;) await take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
