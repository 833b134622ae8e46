import { chmod, rm } from "node:fs/promises";

import { systemCodeOf } from "./system-error.ts";
import { walkTree } from "./walk-tree.ts";

/** Removes a directory with all that is in it, also directories that a command made read-only; repeatable. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(systemCodeOf(error) ?? "")) throw error;
    await openUp(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openUp(path: string): Promise<void> {
  await chmod(path, 0o700);
  for await (const entry of walkTree(Buffer.from(path), { enters: () => true }))
    if (entry.kind === "directory") await chmod(entry.at, 0o700);
}
