import { getHeapStatistics } from "node:v8";

import { ServerError } from "../server-error.ts";
import type { Catalog } from "./catalog.ts";

/** Keeps the data, all of which is in memory, within the heap of the process. */
export interface MemoryGuard {
  /** Throws ExceededMemoryLimit (146) when the data leaves too little of the heap for serving it. */
  refuseWhenFull(): void;
}

const CHECK_EVERY_WRITES = 500;
const USABLE_SHARE = 0.7;
/** Measured: a document of 420 bytes with two indexes takes about 2 kB of heap. */
const HEAP_BYTES_PER_BYTE = 2;
const HEAP_BYTES_PER_DOCUMENT = 1200;

/** Creates a guard over a catalog; `heapLimitBytes` defaults to that of the process. */
export function createMemoryGuard(catalog: Catalog, heapLimitBytes = getHeapStatistics().heap_size_limit): MemoryGuard {
  const budgetBytes = heapLimitBytes * USABLE_SHARE;
  let writesUntilCheck = 0;
  let isFull = false;

  const measure = (): void => {
    const needed = catalog.dataBytes() * HEAP_BYTES_PER_BYTE + catalog.documentCount() * HEAP_BYTES_PER_DOCUMENT;
    isFull = needed > budgetBytes;
    writesUntilCheck = isFull ? 0 : CHECK_EVERY_WRITES;
  };

  return {
    refuseWhenFull() {
      if (writesUntilCheck-- <= 0) measure();
      if (!isFull) return;
      const limit = `${String(Math.round(heapLimitBytes / 1024 / 1024))} MiB`;
      const remedy = "Delete data, start with a larger --max-old-space-size, or use a MongoDB server.";
      throw new ServerError("ExceededMemoryLimit", `The data does not fit into the heap of ${limit}. ${remedy}`);
    },
  };
}
