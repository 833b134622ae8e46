import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";

import { ServerError } from "../server-error.ts";

const syncData = promisify(fdatasync);

/** The log of one generation after the other. */
export interface WriteAheadLog {
  /** Hands a record to the operating system. Throws once a write has failed: the log may end in a torn record. */
  append(record: Buffer): void;
  /** Resolves when all that was appended is on the disk; one fdatasync serves all who wait. */
  synced(): Promise<void>;
  /** Continues in another file; the old one is durable then. */
  rotate(path: string): Promise<void>;
  /** The bytes written to the current file. */
  bytes(): number;
  close(): Promise<void>;
}

/** Opens the log at `path` for appending; `initialBytes` is its length. */
export function openWriteAheadLog(path: string, initialBytes: number): WriteAheadLog {
  let descriptor = openSync(path, "a");
  let bytes = initialBytes;
  let isDirty = false;
  let failure: ServerError | undefined;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const fail = (error: unknown): ServerError => {
    failure ??= logFailure(error);
    return failure;
  };

  const syncOnce = async (): Promise<void> => {
    if (!isDirty) return;
    isDirty = false;
    try {
      await syncData(descriptor);
    } catch (error) {
      throw fail(error);
    }
  };

  /** The sync in progress may have missed the last bytes, so who comes now waits for the one after it. */
  const queueAfter = async (current: Promise<void>): Promise<void> => {
    await current.catch(() => undefined);
    await nextTurn();
    queued = undefined;
    await startSync();
  };

  const startSync = (): Promise<void> => {
    const sync = syncOnce();
    running = sync.finally(() => {
      running = undefined;
    });
    running.catch(() => undefined);
    return running;
  };

  const synced = (): Promise<void> => (queued ??= queueAfter(running ?? Promise.resolve()));

  return {
    append(record) {
      if (failure !== undefined) throw failure;
      try {
        for (let at = 0; at < record.length;) at += writeSync(descriptor, record, at);
      } catch (error) {
        throw fail(error);
      }
      bytes += record.length;
      isDirty = true;
    },
    synced,
    async rotate(next) {
      await synced();
      while (running !== undefined) await running;
      fdatasyncSync(descriptor);
      closeSync(descriptor);
      descriptor = openSync(next, "a");
      bytes = 0;
      isDirty = false;
    },
    bytes: () => bytes,
    async close() {
      await synced();
      while (running !== undefined) await running;
      closeSync(descriptor);
    },
  };
}

/** Lets the commands that are ready now append first, so that one sync serves them too. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function logFailure(error: unknown): ServerError {
  const reason = error instanceof Error ? error.message : String(error);
  const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
  const remedy = "No write is accepted until the server is started again.";
  return new ServerError(
    isFull ? "OutOfDiskSpace" : "InternalError",
    `The log could not be written: ${reason}. ${remedy}`,
  );
}
