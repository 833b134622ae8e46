import { Long } from "bson";

import { ServerError } from "../server-error.ts";
import { approximateBytes } from "../values/approximate-bytes.ts";
import type { Document } from "../values/document.ts";

/** Results that are read in batches. */
export interface CursorTable {
  /** The `cursor` field of a reply with the first batch; a cursor is kept when there is more. */
  open(request: OpenCursor): Document;
  /** The `cursor` field of a reply with the next batch. Throws CursorNotFound (43). */
  next(id: bigint, batchSize: number): Document;
  close(id: bigint): boolean;
  /** Drops the cursors that nobody read for ten minutes. */
  dropIdle(nowMs: number): void;
}

/** A result to be read in batches. */
interface OpenCursor {
  readonly namespace: string;
  readonly documents: readonly Document[];
  /** Documents in the first batch; MongoDB's default is 101. */
  readonly batchSize?: number;
  readonly isSingleBatch?: boolean;
}

interface Cursor {
  readonly namespace: string;
  readonly documents: readonly Document[];
  position: number;
  usedAtMs: number;
}

const DEFAULT_FIRST_BATCH = 101;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const IDLE_LIMIT_MS = 10 * 60_000;

/** Creates an empty table. */
export function createCursorTable(now: () => number = Date.now): CursorTable {
  const cursors = new Map<bigint, Cursor>();
  let nextId = 1n;

  return {
    open({ namespace, documents, batchSize = DEFAULT_FIRST_BATCH, isSingleBatch = false }) {
      const firstBatch = takeBatch(documents, 0, batchSize);
      const isDone = isSingleBatch || firstBatch.length === documents.length;
      const id = isDone ? 0n : nextId++;
      if (!isDone) cursors.set(id, { namespace, documents, position: firstBatch.length, usedAtMs: now() });
      return { firstBatch, id: Long.fromBigInt(id), ns: namespace };
    },
    next(id, batchSize) {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw new ServerError("CursorNotFound", `cursor id ${String(id)} not found`);
      const nextBatch = takeBatch(cursor.documents, cursor.position, batchSize);
      cursor.position += nextBatch.length;
      cursor.usedAtMs = now();
      const isDone = cursor.position >= cursor.documents.length;
      if (isDone) cursors.delete(id);
      return { nextBatch, id: Long.fromBigInt(isDone ? 0n : id), ns: cursor.namespace };
    },
    close: (id) => cursors.delete(id),
    dropIdle(nowMs) {
      for (const [id, cursor] of cursors) if (nowMs - cursor.usedAtMs > IDLE_LIMIT_MS) cursors.delete(id);
    },
  };
}

/** As many documents as the batch size and the size of a reply allow, but at least one. */
function takeBatch(documents: readonly Document[], from: number, batchSize: number): Document[] {
  const batch: Document[] = [];
  let bytes = 0;
  for (let at = from; at < documents.length && batch.length < batchSize; at++) {
    const document = documents[at] ?? {};
    bytes += approximateBytes(document);
    if (batch.length > 0 && bytes > MAX_BATCH_BYTES) break;
    batch.push(document);
  }
  return batch;
}
