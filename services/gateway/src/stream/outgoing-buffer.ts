import type { Writable } from "node:stream";

/** Counts what a client has not taken yet, so that one that stopped reading can be told from a busy moment. */
export interface OutgoingBuffer {
  readonly unreadBytes: number;
  write(text: string): void;
  /** Ends the sink once everything is written. */
  end(): void;
  /** Resolves with true once at most `limitBytes` are unread, with false when nothing was taken for `patienceMs`. */
  settled(limitBytes: number, patienceMs: number): Promise<boolean>;
}

/** One chunk is under way at a time: its end is the sign that the client reads. */
const CHUNK_BYTES = 64 * 1024;

export function createOutgoingBuffer(sink: Writable): OutgoingBuffer {
  const queue: Buffer[] = [];
  let unreadBytes = 0;
  let isWriting = false;
  let isEnding = false;
  let wake: (() => void) | undefined;

  const pump = () => {
    if (isWriting || sink.destroyed || sink.writableEnded) return;
    const chunk = takeChunk(queue);
    if (chunk !== undefined) writeChunk(chunk);
    else if (isEnding) sink.end();
  };

  const writeChunk = (chunk: Buffer) => {
    isWriting = true;
    sink.write(chunk, () => {
      isWriting = false;
      unreadBytes -= chunk.byteLength;
      wake?.();
      pump();
    });
  };

  const progress = (patienceMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), patienceMs);
    wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
    return promise;
  };

  return {
    get unreadBytes() {
      return unreadBytes;
    },

    write(text) {
      if (isEnding) return;
      const bytes = Buffer.from(text);
      unreadBytes += bytes.byteLength;
      queue.push(bytes);
      pump();
    },

    end() {
      isEnding = true;
      pump();
    },

    async settled(limitBytes, patienceMs) {
      while (unreadBytes > limitBytes) {
        if (!(await progress(patienceMs))) return false;
      }
      return true;
    },
  };
}

function takeChunk(queue: Buffer[]): Buffer | undefined {
  const next = queue.shift();
  if (next === undefined || next.byteLength <= CHUNK_BYTES) return next;
  queue.unshift(next.subarray(CHUNK_BYTES));
  return next.subarray(0, CHUNK_BYTES);
}
