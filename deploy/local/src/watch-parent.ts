const intervalMs = 500;

/** Calls `onGone` once the process that started this one has died. `parent` is ANTLER_PARENT_PID; absent, it is not watched. */
export function watchParent(parent: string | undefined, onGone: () => void): void {
  const expected = Number(parent);
  if (!Number.isInteger(expected) || expected !== process.ppid) return;
  const timer = setInterval(() => {
    if (process.ppid === expected) return;
    clearInterval(timer);
    onGone();
  }, intervalMs);
  timer.unref();
}
