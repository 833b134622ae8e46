import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds on the monotonic clock: fit for durations, unrelated to the time of day. */
export function monotonicMs(): number {
  return performance.now();
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
