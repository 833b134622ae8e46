import type { PullLoop } from "@antler/bus";

export interface StorePause {
  /** Pauses the loops until the store answers; does nothing while they are paused. */
  readonly begin: (loops: readonly PullLoop[]) => void;
  /** Gives up waiting. */
  readonly end: () => Promise<void>;
}

/** Keeps a process from pulling what it could not claim while the store does not answer. */
export function createStorePause(storeAnswers: (signal: AbortSignal) => Promise<void>): StorePause {
  const stopping = new AbortController();
  let waiting: Promise<void> | undefined;

  const pause = async (loops: readonly PullLoop[]) => {
    for (const loop of loops) loop.pause();
    await storeAnswers(stopping.signal).catch(() => undefined);
    for (const loop of loops) loop.resume();
    waiting = undefined;
  };
  return {
    begin(loops) {
      waiting ??= pause(loops);
    },
    async end() {
      stopping.abort();
      await waiting;
    },
  };
}
