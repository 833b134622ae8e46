import type { Catalog } from "./catalog/catalog.ts";
import type { Collection } from "./catalog/collection.ts";
import type { DocumentWriter } from "./catalog/document-writer.ts";
import type { StoredRecord } from "./catalog/stored-record.ts";
import type { SecondaryIndex } from "./indexes/secondary-index.ts";

const EARLIEST_DATE = new Date(-8.64e15);

/** Removes the documents whose time-to-live index says that they have expired. */
export function removeExpired(catalog: Catalog, writer: DocumentWriter, nowMs: number): void {
  for (const collection of catalog.all()) {
    for (const record of expiredRecords(collection, nowMs)) writer.remove(collection, record);
  }
}

function expiredRecords(collection: Collection, nowMs: number): Set<StoredRecord> {
  return new Set([...collection.indexes.values()].flatMap((index) => expiredIn(index, nowMs)));
}

function expiredIn({ specification, paths, entries }: SecondaryIndex, nowMs: number): StoredRecord[] {
  const seconds = specification.expireAfterSeconds;
  if (seconds === undefined || paths.length !== 1) return [];
  const limit = new Date(nowMs - seconds * 1000);
  const stretch = { start: entries.seek([EARLIEST_DATE], false), end: entries.seek([limit], true) };
  const found = [...entries.scan(stretch, false)].filter(({ key }) => key[0] instanceof Date);
  return found.map(({ record }) => record);
}
