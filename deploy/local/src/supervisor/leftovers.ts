import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { type Holder, isAlive, processStart } from "../../folder-lock.mjs";
import { SetupError } from "../setup-error.ts";

const goneWithinMs = 5_000;
const pollMs = 50;

/** Records the living process groups, for a start that follows a supervisor's sudden death. */
export function recordProcesses(path: string, pids: readonly number[]): void {
  const draft = `${path}.new`;
  writeFileSync(draft, JSON.stringify(pids.map((pid) => ({ pid, started: processStart(pid) }))));
  renameSync(draft, path);
}

/**
 * Ends what an earlier supervisor left running on the same data and waits until it is gone.
 *
 * @throws SetupError naming the pids that still live after 5 s.
 */
export async function endLeftovers(path: string): Promise<void> {
  const left = readRecorded(path).filter(isAlive);
  for (const { pid, started } of left) if (started !== undefined) kill(pid);
  for (let waitedMs = 0; left.some(isAlive); waitedMs += pollMs) {
    if (waitedMs >= goneWithinMs) {
      const pids = left.filter(isAlive).map((process) => process.pid);
      throw new SetupError(`Processes of an earlier stack still run here; end them: kill ${pids.join(" ")}`);
    }
    await sleep(pollMs);
  }
}

function readRecorded(path: string): readonly Holder[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as readonly Holder[];
  } catch {
    return [];
  }
}

function kill(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}
