import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * The files of a data directory. Generation n has a snapshot, written whole before it gets its name, and a log of what
 * came after; the data is the newest snapshot followed by all logs from its generation on.
 */
export interface DataFiles {
  snapshotPath(generation: number): string;
  unfinishedSnapshotPath(): string;
  logPath(generation: number): string;
  /** The generation of the newest snapshot, 0 when there is none. */
  newestSnapshot(): number;
  /** The generations of the logs present, ascending. */
  logs(): number[];
  /** Removes the snapshots and logs before a generation. */
  removeBefore(generation: number): void;
  /** Makes new names in the directory durable. */
  syncDirectory(): void;
}

const SNAPSHOT_NAME = /^snapshot-(\d+)\.bin$/;
const LOG_NAME = /^log-(\d+)\.bin$/;

/** The files of the data directory at `directory`, which must exist. */
export function createDataFiles(directory: string): DataFiles {
  const generations = (pattern: RegExp): number[] =>
    readdirSync(directory)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((left, right) => left - right);
  const snapshotPath = (generation: number): string => join(directory, `snapshot-${String(generation)}.bin`);
  const logPath = (generation: number): string => join(directory, `log-${String(generation)}.bin`);

  return {
    snapshotPath,
    logPath,
    unfinishedSnapshotPath: () => join(directory, "snapshot.unfinished"),
    newestSnapshot: () => generations(SNAPSHOT_NAME).at(-1) ?? 0,
    logs: () => generations(LOG_NAME),
    removeBefore(generation) {
      const older = (one: number): boolean => one < generation;
      for (const one of generations(SNAPSHOT_NAME).filter(older)) rmSync(snapshotPath(one), { force: true });
      for (const one of generations(LOG_NAME).filter(older)) rmSync(logPath(one), { force: true });
    },
    syncDirectory() {
      const descriptor = openSync(directory, "r");
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
  };
}
