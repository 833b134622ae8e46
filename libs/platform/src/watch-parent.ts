import { readFileSync } from "node:fs";

const INTERVAL_MS = 500;

export interface ParentWatch {
  close(): void;
}

/** Calls `onGone` once, within a second after the process `pid` is gone. Keeps no process alive. */
export function watchParent(pid: number, onGone: () => void): ParentWatch {
  const wasParent = process.ppid === pid;
  const timer = setInterval(() => {
    if (!isGone(pid, wasParent)) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
  return {
    close: () => {
      clearInterval(timer);
    },
  };
}

/** A parent that died hands its children on at once, while its own pid may linger until it is reaped. */
function isGone(pid: number, wasParent: boolean): boolean {
  return (wasParent && process.ppid !== pid) || !exists(pid) || isZombie(pid);
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
