import { mkdirSync } from "node:fs";

import type { Catalog } from "../catalog/catalog.ts";
import type { RetryTable } from "../commands/retry-table.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { Journal } from "./journal.ts";
import { openFileJournal } from "./journal.ts";

/** What opening a data directory needs. */
export interface DataDirectoryOptions {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly retries: RetryTable;
  readonly compactAtBytes: number;
  readonly onCompactionError: (error: unknown) => void;
}

/** Creates the directory when it is missing, locks it and loads it; closing the journal gives up the lock. */
export function openDataDirectory(options: DataDirectoryOptions): Journal {
  mkdirSync(options.directory, { recursive: true });
  const lock = lockDirectory(options.directory);
  try {
    const journal = openFileJournal(options);
    const close = (): Promise<void> =>
      journal.close().finally(() => {
        lock.release();
      });
    return { ...journal, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}
