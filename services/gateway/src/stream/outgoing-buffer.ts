import type { Writable } from "node:stream";

/** Counts what a client has not taken yet, so that a slow one can be told from a busy moment. */
export interface OutgoingBuffer {
  write(text: string): void;
  readonly unreadBytes: number;
  /** Resolves with true once at most `limitBytes` are unread, with false when that takes longer than `withinMs`. */
  settled(limitBytes: number, withinMs: number): Promise<boolean>;
}

export function createOutgoingBuffer(sink: Writable): OutgoingBuffer {
  let unreadBytes = 0;
  let wake: (() => void) | undefined;

  return {
    get unreadBytes() {
      return unreadBytes;
    },

    write(text) {
      if (sink.destroyed || sink.writableEnded) return;
      const bytes = Buffer.byteLength(text);
      unreadBytes += bytes;
      sink.write(text, () => {
        unreadBytes -= bytes;
        wake?.();
      });
    },

    async settled(limitBytes, withinMs) {
      if (unreadBytes <= limitBytes) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), withinMs);
      wake = () => unreadBytes <= limitBytes && resolve(true);
      const isSettled = await promise;
      clearTimeout(timer);
      wake = undefined;
      return isSettled;
    },
  };
}
