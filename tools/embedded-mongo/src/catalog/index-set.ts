import type { IndexKey } from "../indexes/index-keys.ts";
import type { IndexSpecification } from "../indexes/index-specification.ts";
import { ID_INDEX } from "../indexes/index-specification.ts";
import type { IndexChange, SecondaryIndex } from "../indexes/secondary-index.ts";
import { createSecondaryIndex, NO_KEYS, sameKeys } from "../indexes/secondary-index.ts";
import type { Document } from "../values/document.ts";
import type { StoredRecord } from "./stored-record.ts";

/** The indexes of one collection, kept in step with its records. */
export interface IndexSet {
  readonly byName: ReadonlyMap<string, SecondaryIndex>;
  /** What a new document changes in every index. Calls `onConflict` when another record holds a unique key. */
  planChanges(document: Document, existing: StoredRecord | undefined): readonly IndexChange[];
  apply(record: StoredRecord, changes: readonly IndexChange[]): void;
  remove(record: StoredRecord): void;
  add(specification: IndexSpecification): void;
  drop(name: string): boolean;
  /** The order of `_id`, built when first asked for. */
  idOrder(): SecondaryIndex;
}

/** Reports a unique key that another record holds. */
export type ConflictHandler = (index: SecondaryIndex, key: IndexKey) => never;

/** Creates an empty set over the records of a collection. */
export function createIndexSet(records: ReadonlyMap<string, StoredRecord>, onConflict: ConflictHandler): IndexSet {
  const byName = new Map<string, SecondaryIndex>();
  let idOrder: SecondaryIndex | undefined;
  let maintained: readonly SecondaryIndex[] = [];

  const refresh = (): void => {
    maintained = idOrder === undefined ? [...byName.values()] : [...byName.values(), idOrder];
  };

  const planChange = (index: SecondaryIndex, document: Document, existing: StoredRecord | undefined): IndexChange => {
    const before = existing === undefined ? NO_KEYS : index.keysOf(existing.document);
    const after = index.keysOf(document);
    const conflict = index.specification.unique === true ? index.findConflict(after.keys, existing) : undefined;
    return conflict === undefined ? { index, before, after } : onConflict(index, conflict);
  };

  const build = (specification: IndexSpecification): SecondaryIndex => {
    const index = createSecondaryIndex(specification);
    for (const record of records.values()) {
      index.apply(record, NO_KEYS, planChange(index, record.document, undefined).after);
    }
    return index;
  };

  return {
    byName,
    planChanges: (document, existing) => maintained.map((index) => planChange(index, document, existing)),
    apply(record, changes) {
      for (const { index, before, after } of changes) if (!sameKeys(before, after)) index.apply(record, before, after);
    },
    remove(record) {
      for (const index of maintained) index.apply(record, index.keysOf(record.document), NO_KEYS);
    },
    add(specification) {
      byName.set(specification.name, build(specification));
      refresh();
    },
    drop(name) {
      const isDropped = byName.delete(name);
      refresh();
      return isDropped;
    },
    idOrder() {
      idOrder ??= build(ID_INDEX);
      refresh();
      return idOrder;
    },
  };
}
