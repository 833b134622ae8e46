import { isAntlerError, type NewRunEvent, type RunEvent } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import type { LogAddress } from "./delivery-deps.ts";
import { APPEND_BATCH, appendAndSignal, type AppendDeps } from "./event-append.ts";

export interface EventAppenderDeps extends AppendDeps {
  readonly logger: Logger;
}

/** Appends to the log of one run, in order. A process has one for each run it works on. */
export interface EventAppender {
  /** Takes the event and writes it later: at 25 events, after 250 ms, or on `flush`. Ignored once closed. */
  append(event: NewRunEvent): void;
  /**
   * Writes what was taken before, then these, and returns these as they are stored; a sealed log leaves them out.
   * Throws what the store throws; the call may then be repeated.
   */
  appendNow(events: readonly NewRunEvent[]): Promise<RunEvent[]>;
  /** Resolves when everything taken so far is stored. What could not be written stays taken, and it throws. */
  flush(): Promise<void>;
  /** Flushes once more and takes no further events. */
  close(): Promise<void>;
}

const FLUSH_COUNT = 25;
const FLUSH_AFTER_MS = 250;
const RETRY_AFTER_MS = 1000;

export function createEventAppender(deps: EventAppenderDeps, address: LogAddress): EventAppender {
  const { logger } = deps;
  const buffer: NewRunEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let taken = 0;
  let written = 0;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };

  /** Events leave the buffer only when they are stored, or when they can never be. */
  const writeUpTo = async (count: number): Promise<void> => {
    while (written < count) {
      const batch = buffer.slice(0, Math.min(APPEND_BATCH, count - written));
      await writeOrDrop(deps, address, batch);
      buffer.splice(0, batch.length);
      written += batch.length;
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const count = taken;
    return inOrder(() => writeUpTo(count));
  };

  const flushInBackground = (): void => {
    flush().catch((error: unknown) => {
      logger.warn({ run_id: address.runId, err: error }, "Events could not be stored, will be tried again");
      if (!closed) schedule(RETRY_AFTER_MS);
    });
  };

  const schedule = (afterMs: number): void => {
    timer ??= setTimeout(flushInBackground, afterMs);
  };

  return {
    append(event) {
      if (closed) return;
      buffer.push(event);
      taken += 1;
      if (buffer.length % FLUSH_COUNT === 0) flushInBackground();
      else schedule(FLUSH_AFTER_MS);
    },
    appendNow(events) {
      const before = taken;
      return inOrder(async () => {
        await writeUpTo(before);
        return appendAndSignal(deps, address, events);
      });
    },
    flush,
    async close() {
      closed = true;
      await flush();
    },
  };
}

/** Writes all but the events that no store would take; those are told in the log of the process. */
async function writeOrDrop(deps: EventAppenderDeps, address: LogAddress, batch: readonly NewRunEvent[]): Promise<void> {
  try {
    await appendAndSignal(deps, address, batch);
  } catch (error) {
    if (!isAntlerError(error, "document_too_large")) throw error;
    if (batch.length > 1) {
      for (const event of batch) await writeOrDrop(deps, address, [event]);
      return;
    }
    const about = { run_id: address.runId, key: batch[0]?.key, err: error };
    deps.logger.error(about, "Event is too large for the log, dropped");
  }
}
