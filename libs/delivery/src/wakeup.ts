/** Lets one waiter sleep until it is woken, a time is over, or a signal aborts. A wake between two waits is kept. */
export interface Wakeup {
  wake(): void;
  /** Resolves when woken or after `maxMs`. @throws the signal's reason. */
  wait(maxMs: number, signal: AbortSignal): Promise<void>;
}

export function createWakeup(): Wakeup {
  let woken = false;
  let resolveWait: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      resolveWait?.();
    },
    async wait(maxMs, signal) {
      signal.throwIfAborted();
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, maxMs);
          function done() {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            resolveWait = undefined;
            resolve();
          }
          resolveWait = done;
          signal.addEventListener("abort", done, { once: true });
        });
      }
      woken = false;
      signal.throwIfAborted();
    },
  };
}
