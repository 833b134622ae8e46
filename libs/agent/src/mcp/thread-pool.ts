import type { ServerSession } from "./server-session.ts";

export interface ThreadPoolOptions {
  readonly idleMs: number;
  /** Most threads whose sessions are kept while nothing uses them. */
  readonly maxIdle: number;
  /** Null when there is no such server. */
  readonly sessionOf: (server: string) => ServerSession | null;
}

export interface ThreadPool {
  /** Runs `work` with the thread's sessions, which stay meanwhile. */
  hold<T>(
    key: string,
    servers: readonly string[],
    work: (sessions: readonly ServerSession[]) => Promise<T>,
  ): Promise<T>;
  /** Closes all sessions, also those in use. */
  close(): Promise<void>;
}

interface ThreadEntry {
  readonly sessions: Map<string, ServerSession>;
  holds: number;
  timer?: NodeJS.Timeout;
}

/** Sessions by thread: kept while in use, then for a while; the longest idle go first when there are too many. */
export function createThreadPool({ idleMs, maxIdle, sessionOf }: ThreadPoolOptions): ThreadPool {
  const threads = new Map<string, ThreadEntry>();
  const closing = new Set<Promise<unknown>>();

  const drop = (key: string, entry: ThreadEntry) => {
    clearTimeout(entry.timer);
    threads.delete(key);
    const closed = Promise.allSettled([...entry.sessions.values()].map((session) => session.close()));
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  };
  const take = (key: string): ThreadEntry => {
    const entry = threads.get(key) ?? { sessions: new Map<string, ServerSession>(), holds: 0 };
    clearTimeout(entry.timer);
    entry.holds += 1;
    threads.set(key, entry);
    return entry;
  };
  const giveBack = (key: string, entry: ThreadEntry) => {
    entry.holds -= 1;
    if (entry.holds > 0 || threads.get(key) !== entry) return;
    threads.delete(key);
    threads.set(key, entry);
    entry.timer = setTimeout(() => drop(key, entry), idleMs).unref();
    const idle = [...threads].filter(([, { holds }]) => holds === 0);
    for (const [old, oldest] of idle.slice(0, Math.max(0, idle.length - maxIdle))) drop(old, oldest);
  };
  const sessionIn = (entry: ThreadEntry, server: string): ServerSession[] => {
    const session = entry.sessions.get(server) ?? sessionOf(server);
    if (session === null) return [];
    entry.sessions.set(server, session);
    return [session];
  };

  return {
    async hold(key, servers, work) {
      const entry = take(key);
      try {
        return await work(servers.flatMap((server) => sessionIn(entry, server)));
      } finally {
        giveBack(key, entry);
      }
    },
    async close() {
      for (const [key, entry] of [...threads]) drop(key, entry);
      await Promise.all(closing);
    },
  };
}
