/** Lets all who wait at the same time share one sync. */
export interface GroupSync {
  /** Resolves after a sync that began after this call. */
  synced(): Promise<void>;
  /** Resolves when no sync is in progress. */
  idle(): Promise<void>;
}

/** Creates a group over a sync that is never run twice at once. */
export function createGroupSync(sync: () => Promise<void>): GroupSync {
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    try {
      await sync();
    } finally {
      running = undefined;
    }
  };

  /** The sync in progress may have missed the last bytes, so who comes now waits for the one after it. */
  const startAfter = async (current: Promise<void>): Promise<void> => {
    await current.catch(() => undefined);
    await nextTurn();
    queued = undefined;
    running = start();
    await running;
  };

  return {
    synced: () => (queued ??= startAfter(running ?? Promise.resolve())),
    async idle() {
      while (running !== undefined) await running.catch(() => undefined);
    },
  };
}

/** Lets the commands that are ready now write first, so that one sync serves them too. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
