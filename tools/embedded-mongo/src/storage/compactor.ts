import type { FileHandle } from "node:fs/promises";
import { open, rename } from "node:fs/promises";

import type { Catalog } from "../catalog/catalog.ts";
import type { RetryTable } from "../commands/retry-table.ts";
import type { DataFiles } from "./data-files.ts";
import { encodeRecord } from "./log-record.ts";
import type { Operation } from "./operation.ts";
import { captureSnapshot } from "./snapshot.ts";
import type { WriteAheadLog } from "./write-ahead-log.ts";

/** Replaces a grown log by a snapshot while the server goes on serving. */
export interface Compactor {
  /** Compacts when the log is larger than the threshold and than the last snapshot; one compaction at a time. */
  compactIfGrown(): Promise<void>;
  /** Resolves when no compaction is in progress. */
  idle(): Promise<void>;
}

/** What a compactor works on. */
export interface CompactorOptions {
  readonly files: DataFiles;
  readonly log: WriteAheadLog;
  readonly catalog: Catalog;
  readonly retries: RetryTable;
  readonly generation: number;
  readonly compactAtBytes: number;
}

const BATCH_BYTES = 256 * 1024;

/** Creates a compactor that continues from `generation`. */
export function createCompactor(options: CompactorOptions): Compactor {
  const { files, log, catalog, retries } = options;
  let generation = options.generation;
  let snapshotBytes = 0;
  let running: Promise<void> | undefined;

  const compact = async (): Promise<void> => {
    const next = generation + 1;
    await log.rotate(files.logPath(next));
    generation = next;
    // No await between the rotation and the capture: the new log holds exactly what the snapshot lacks.
    const operations = captureSnapshot(catalog, retries);
    files.syncDirectory();
    snapshotBytes = await writeSnapshot(files.unfinishedSnapshotPath(), operations);
    await rename(files.unfinishedSnapshotPath(), files.snapshotPath(next));
    files.syncDirectory();
    files.removeBefore(next);
  };

  return {
    async compactIfGrown() {
      if (running !== undefined || log.bytes() < Math.max(options.compactAtBytes, snapshotBytes)) return;
      running = compact().finally(() => {
        running = undefined;
      });
      await running;
    },
    idle: () => (running ?? Promise.resolve()).catch(() => undefined),
  };
}

async function writeSnapshot(path: string, operations: Iterable<Operation>): Promise<number> {
  const file = await open(path, "w");
  try {
    const written = await writeBatches(file, operations);
    await file.datasync();
    return written;
  } finally {
    await file.close();
  }
}

/** Encodes and writes a little at a time, so that commands are served in between. */
async function writeBatches(file: FileHandle, operations: Iterable<Operation>): Promise<number> {
  let written = 0;
  for (const batch of batchesOf(operations)) {
    const record = encodeRecord(batch);
    await file.writeFile(record);
    written += record.length;
  }
  return written;
}

function* batchesOf(operations: Iterable<Operation>): Generator<Operation[]> {
  let batch: Operation[] = [];
  let bytes = 0;
  for (const operation of operations) {
    batch.push(operation);
    bytes += operation.op === "put" ? operation.bytes.length : 100;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
