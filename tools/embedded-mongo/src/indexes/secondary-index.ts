import type { StoredRecord } from "../catalog/stored-record.ts";
import { compileFilter } from "../query/matcher.ts";
import { equalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { splitPath } from "../values/field-path.ts";
import type { DocumentKeys, IndexKey } from "./index-keys.ts";
import { documentKeys } from "./index-keys.ts";
import type { IndexSpecification } from "./index-specification.ts";
import type { SortedEntries } from "./sorted-entries.ts";
import { createSortedEntries } from "./sorted-entries.ts";

/** What changing one record changes in one index; made first, applied only when no index refuses. */
export interface IndexChange {
  readonly index: SecondaryIndex;
  readonly before: DocumentKeys;
  readonly after: DocumentKeys;
}

/** An ordered index over one collection. */
export interface SecondaryIndex {
  readonly specification: IndexSpecification;
  readonly paths: readonly string[];
  readonly directions: readonly number[];
  readonly entries: SortedEntries;
  /** Whether any stored document has an array on an indexed path. */
  isMultikey(): boolean;
  keysOf(document: Document): DocumentKeys;
  /** A key among `keys` that another record than `self` holds, for a unique index. */
  findConflict(keys: readonly IndexKey[], self: StoredRecord | undefined): IndexKey | undefined;
  apply(record: StoredRecord, before: DocumentKeys, after: DocumentKeys): void;
}

/** The keys of no document: before an insert, after a removal, or outside a sparse or partial index. */
export const NO_KEYS: DocumentKeys = { keys: [], isMultikey: false, isMissing: true };

/** Creates an empty index. */
export function createSecondaryIndex(specification: IndexSpecification): SecondaryIndex {
  const paths = Object.keys(specification.key);
  const parts = paths.map(splitPath);
  const directions = paths.map((path) => (Number(specification.key[path]) < 0 ? -1 : 1));
  const partial = specification.partialFilterExpression;
  const covers = partial === undefined ? () => true : compileFilter(partial);
  const entries = createSortedEntries(directions);
  let multikeyDocuments = 0;

  return {
    specification,
    paths,
    directions,
    entries,
    isMultikey: () => multikeyDocuments > 0,
    keysOf(document) {
      if (!covers(document)) return NO_KEYS;
      const keys = documentKeys(document, parts);
      return specification.sparse === true && keys.isMissing ? NO_KEYS : keys;
    },
    findConflict: (keys, self) => keys.find((key) => isHeldByOther(entries, key, self)),
    apply(record, before, after) {
      for (const key of before.keys) entries.remove({ key, record });
      for (const key of after.keys) entries.add({ key, record });
      multikeyDocuments += Number(after.isMultikey) - Number(before.isMultikey);
    },
  };
}

function isHeldByOther(entries: SortedEntries, key: IndexKey, self: StoredRecord | undefined): boolean {
  const stretch = { start: entries.seek(key, false), end: entries.seek(key, true) };
  for (const entry of entries.scan(stretch, false)) if (entry.record !== self) return true;
  return false;
}

/** Tells whether two documents have the same keys, so that an index need not change. */
export function sameKeys(left: DocumentKeys, right: DocumentKeys): boolean {
  if (left.keys.length !== right.keys.length || left.isMultikey !== right.isMultikey) return false;
  return left.keys.every((key, at) => key.every((value, column) => sameValue(value, right.keys[at]?.[column])));
}

function sameValue(left: unknown, right: unknown): boolean {
  return left === right || ((typeof left === "object" || isDocument(right)) && equalValues(left, right));
}
