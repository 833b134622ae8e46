import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import { StartupError } from "../startup-error.ts";
import { decodeRecord, isIntact, RECORD_HEADER_BYTES } from "./log-record.ts";
import type { Operation } from "./operation.ts";

/** Reads the records of a file one at a time, so that a large file needs no large buffer. */
export interface RecordFile {
  operations(): Generator<Operation>;
  /** The length of the intact records once all have been read; what follows is a torn write. */
  intactBytes(): number;
  fileBytes(): number;
  close(): void;
}

/** Opens a log or snapshot file for reading. */
export function openRecordFile(path: string): RecordFile {
  const descriptor = openSync(path, "r");
  const size = fstatSync(descriptor).size;
  let position = 0;

  const readAt = (at: number, length: number): Buffer | undefined => {
    if (at + length > size) return undefined;
    const buffer = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const count = readSync(descriptor, buffer, done, length - done, at + done);
      if (count === 0) return undefined;
      done += count;
    }
    return buffer;
  };

  const nextPayload = (): Buffer | undefined => {
    const header = readAt(position, RECORD_HEADER_BYTES);
    if (header === undefined) return undefined;
    const payload = readAt(position + RECORD_HEADER_BYTES, header.readUInt32LE(0));
    return payload !== undefined && isIntact(payload, header) ? payload : undefined;
  };

  return {
    *operations() {
      for (let payload = nextPayload(); payload !== undefined; payload = nextPayload()) {
        yield* decodeRecord(payload);
        position += RECORD_HEADER_BYTES + payload.length;
      }
    },
    intactBytes: () => position,
    fileBytes: () => size,
    close: () => {
      closeSync(descriptor);
    },
  };
}

/** Refuses a file that was complete once and no longer is. */
export function refuseDamaged(path: string, file: RecordFile): void {
  if (file.intactBytes() === file.fileBytes()) return;
  const where = `${path} is damaged at byte ${String(file.intactBytes())} of ${String(file.fileBytes())}`;
  throw new StartupError("data_directory_damaged", `${where}. Restore the data directory from a copy, or remove it.`);
}
