/** Serialises work on one key inside this process. */
export interface PathLocks {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Locks that are granted in the order they were asked for and forgotten when nobody waits. */
export function createPathLocks(): PathLocks {
  const last = new Map<string, Promise<unknown>>();
  return {
    async hold(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
