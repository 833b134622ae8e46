import type { Catalog } from "../catalog/catalog.ts";
import type { RetryTable } from "../commands/retry-table.ts";
import { createCompactor } from "./compactor.ts";
import { createDataFiles } from "./data-files.ts";
import { encodeRecord } from "./log-record.ts";
import type { Operation } from "./operation.ts";
import { recoverData } from "./recovery.ts";
import { openWriteAheadLog } from "./write-ahead-log.ts";

/** Where the changes of the data are kept. */
export interface Journal {
  /** Adds a change to the current command's record. */
  add(operation: Operation): void;
  /** Ends the current command's record: its changes survive a crash together. */
  commit(): void;
  /** Resolves when all committed changes are on the disk. */
  durable(): Promise<void>;
  /** Compacts the log now if it has grown enough; also done by itself after commits. */
  compactIfGrown(): Promise<void>;
  close(): Promise<void>;
}

/** A journal of a server that keeps its data in memory only. */
export function createMemoryJournal(): Journal {
  const done = (): Promise<void> => Promise.resolve();
  return { add: () => undefined, commit: () => undefined, durable: done, compactIfGrown: done, close: done };
}

/** What a file journal needs: the directory, the data to fill from it and to compact, and when to compact. */
export interface FileJournalOptions {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly retries: RetryTable;
  readonly compactAtBytes: number;
  readonly onCompactionError: (error: unknown) => void;
}

/** Loads a data directory into the catalog and opens its log. Throws StartupError when the directory is damaged. */
export function openFileJournal(options: FileJournalOptions): Journal {
  const files = createDataFiles(options.directory);
  const recovered = recoverData(files, options.catalog, options.retries);
  const log = openWriteAheadLog(files.logPath(recovered.generation), recovered.logBytes);
  files.syncDirectory();
  const compactor = createCompactor({ ...options, files, log, generation: recovered.generation });
  let pending: Operation[] = [];

  return {
    add: (operation) => void pending.push(operation),
    commit() {
      if (pending.length === 0) return;
      const operations = pending;
      pending = [];
      log.append(encodeRecord(operations));
      compactor.compactIfGrown().catch(options.onCompactionError);
    },
    durable: () => log.synced(),
    compactIfGrown: () => compactor.compactIfGrown(),
    async close() {
      await compactor.idle();
      await log.close();
    },
  };
}
