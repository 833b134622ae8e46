import { randomUUID } from "node:crypto";
import { lstat, open, rename, rm } from "node:fs/promises";

import { AntlerError } from "@antler/contracts";

import { withAppendable } from "./open-regular.ts";
import { pathRefused } from "./path-refusal.ts";
import type { ResolvedPath } from "./path-resolver.ts";

export const WRITE_MAX_BYTES = 80 * 1024;
/** Begins the name of a file that is not yet complete. */
export const PARTIAL_PREFIX = ".antler-partial-";

/** Refuses content that a single write may not hold. Errors: `invalid_request`. */
export function checkWriteSize(content: string): void {
  if (Buffer.byteLength(content) <= WRITE_MAX_BYTES) return;
  throw new AntlerError(
    "invalid_request",
    `Field content exceeds ${WRITE_MAX_BYTES / 1024} KB; write the file in parts with append`,
  );
}

export async function appendText(file: ResolvedPath, content: string): Promise<void> {
  await withAppendable(file, ({ handle }) => handle.appendFile(content));
}

/** Replaces the file whole: a reader sees the old contents or the new, never a part. Keeps the permissions. */
export async function replaceContents(file: ResolvedPath, contents: string | Buffer): Promise<void> {
  const mode = await modeOf(file);
  const partial = file.sibling(`${PARTIAL_PREFIX}${randomUUID()}`);
  try {
    await writeNew(partial, contents, mode);
    await rename(partial, file.at);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeNew(path: Buffer, contents: string | Buffer, mode: number): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.chmod(mode);
    await handle.writeFile(contents);
  } finally {
    await handle.close();
  }
}

async function modeOf(file: ResolvedPath): Promise<number> {
  if (!file.exists) return 0o644;
  const stat = await lstat(file.at);
  if (stat.isDirectory()) throw pathRefused("is_a_directory", file.virtual);
  if (!stat.isFile()) throw pathRefused("not_a_file", file.virtual);
  return stat.mode & 0o777;
}
