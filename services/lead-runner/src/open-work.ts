/** Work that was begun and whose beginner may have stopped to wait for it. */
export interface OpenWork {
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when all of it has settled. */
  settled(): Promise<void>;
}

export function createOpenWork(): OpenWork {
  const open = new Set<Promise<unknown>>();
  return {
    async add(work) {
      open.add(work);
      try {
        return await work;
      } finally {
        open.delete(work);
      }
    },
    async settled() {
      await Promise.allSettled(open);
    },
  };
}
