import { readdir, readFile } from "node:fs/promises";

import { systemCodeOf } from "./system-error.ts";

/** Kills a process, or with a negative id a whole group; one that is gone already is no error. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (systemCodeOf(error) !== "ESRCH" && systemCodeOf(error) !== "EPERM") throw error;
  }
}

const MAX_ROUNDS = 50;

/**
 * Kills every process whose environment holds the entry, also one that left its group and session, until none is left.
 * Only Linux shows environments; elsewhere nothing is done.
 */
export async function killMarked(entry: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const marked = await processesWith(entry);
    if (marked.length === 0) return;
    marked.forEach(killQuietly);
  }
}

async function processesWith(entry: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await environmentHas(pid, entry)) ? [pid] : [])));
  return found.flat();
}

/** A zombie and another user's process show no environment. */
async function environmentHas(pid: number, entry: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, "latin1")).split("\0").includes(entry);
  } catch {
    return false;
  }
}
