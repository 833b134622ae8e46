const POLL_INTERVAL_MS = 500;

/** Calls `onGone` once when the process of that pid is no more. The watch does not keep this process alive. */
export function watchParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(timer);
    onGone();
  }, POLL_INTERVAL_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
