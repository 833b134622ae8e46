import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

import { StartupError } from "../startup-error.ts";

/** Holds a data directory for this process. */
export interface DirectoryLock {
  release(): void;
}

const LOCK_NAME = "server.lock";
const TAKEOVER_ATTEMPTS = 3;

/**
 * Takes the lock of a data directory, which must exist. The lock of a dead process is taken over. Throws StartupError
 * `data_directory_locked`, naming the pid, when a living process holds it.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, LOCK_NAME);
  for (let attempt = 1; attempt <= TAKEOVER_ATTEMPTS; attempt++) {
    if (createLock(path)) return { release: () => rmSync(path, { force: true }) };
    refuseIfHeld(directory, path);
    rmSync(path, { force: true });
  }
  throw new StartupError("data_directory_locked", `Data directory ${directory} is being taken by another process.`);
}

function createLock(path: string): boolean {
  try {
    const descriptor = openSync(path, "wx");
    writeSync(descriptor, identityOf(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function refuseIfHeld(directory: string, path: string): void {
  const holder = readLock(path);
  const pid = Number(holder.split(" ")[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || identityOf(pid) !== holder) return;
  const remedy = "Stop that process, or start with another data directory.";
  throw new StartupError(
    "data_directory_locked",
    `Data directory ${directory} is in use by process ${String(pid)}. ${remedy}`,
  );
}

function readLock(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The pid and, where the system tells it, the start time: after a reboot another process may have the same pid. */
function identityOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return `${String(pid)} ${startTime}`;
  } catch {
    return String(pid);
  }
}
