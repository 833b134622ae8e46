const shortestMs = 200;
const longestMs = 5_000;

/** A process that lived this long is taken for healthy: its next restart is quick again. */
export const healthyAfterMs = 10_000;

/** How long to wait before restart number `consecutive` (0 for the first) of a process that keeps dying. */
export function restartDelayMs(consecutive: number): number {
  return Math.min(longestMs, shortestMs * 2 ** Math.min(consecutive, 10));
}
