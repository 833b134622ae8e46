import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";

import { ServerError } from "../server-error.ts";
import { createGroupSync } from "./group-sync.ts";

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

  const fail = (error: unknown): ServerError => {
    failure ??= logFailure(error);
    return failure;
  };

  const group = createGroupSync(async () => {
    if (failure !== undefined) throw failure;
    if (!isDirty) return;
    isDirty = false;
    try {
      await syncData(descriptor);
    } catch (error) {
      throw fail(error);
    }
  });

  return {
    append(record) {
      if (failure !== undefined) throw failure;
      try {
        let at = 0;
        while (at < record.length) at += writeSync(descriptor, record, at);
      } catch (error) {
        throw fail(error);
      }
      bytes += record.length;
      isDirty = true;
    },
    synced: () => group.synced(),
    async rotate(next) {
      await group.synced();
      await group.idle();
      fdatasyncSync(descriptor);
      closeSync(descriptor);
      descriptor = openSync(next, "a");
      bytes = 0;
      isDirty = false;
    },
    bytes: () => bytes,
    async close() {
      await group.synced();
      await group.idle();
      closeSync(descriptor);
    },
  };
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
