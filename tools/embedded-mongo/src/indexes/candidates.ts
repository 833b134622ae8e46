import type { Collection } from "../catalog/collection.ts";
import type { StoredRecord } from "../catalog/stored-record.ts";
import { valueKey } from "../values/value-key.ts";
import type { PathBounds } from "./filter-bounds.ts";
import type { IndexPlan, QueryPlan } from "./planner.ts";
import type { Stretch } from "./sorted-entries.ts";

/** The records that a plan finds, each once. The collection must not change while they are read. */
export function* candidatesOf(collection: Collection, plan: QueryPlan): Generator<StoredRecord> {
  switch (plan.kind) {
    case "ids":
      yield* recordsById(collection, plan.ids);
      return;
    case "index":
      yield* plan.index.isMultikey() ? distinct(indexRecords(plan)) : indexRecords(plan);
      return;
    case "union":
      for (const record of distinct(unionRecords(collection, plan.branches))) yield record;
      return;
    case "scan":
      yield* collection.records.values();
  }
}

function* recordsById(collection: Collection, ids: readonly unknown[]): Generator<StoredRecord> {
  for (const key of new Set(ids.map(valueKey))) {
    const record = collection.records.get(key);
    if (record !== undefined) yield record;
  }
}

function* unionRecords(collection: Collection, branches: readonly QueryPlan[]): Generator<StoredRecord> {
  for (const branch of branches) yield* candidatesOf(collection, branch);
}

function* distinct(records: Iterable<StoredRecord>): Generator<StoredRecord> {
  const seen = new Set<StoredRecord>();
  for (const record of records) {
    if (seen.has(record)) continue;
    seen.add(record);
    yield record;
  }
}

function* indexRecords(plan: IndexPlan): Generator<StoredRecord> {
  for (const stretch of stretchesOf(plan)) {
    for (const { record } of plan.index.entries.scan(stretch, plan.sortDirection < 0)) yield record;
  }
}

function stretchesOf(plan: IndexPlan): Stretch[] {
  if (plan.anyOf === undefined) return [stretchOf(plan, plan.prefix, plan.range ?? {})];
  const members = new Map(plan.anyOf.map((value) => [valueKey(value), value]));
  return [...members.values()].map((value) => stretchOf(plan, [...plan.prefix, value], {}));
}

function stretchOf({ index }: IndexPlan, prefix: readonly unknown[], range: PathBounds): Stretch {
  const isDescending = index.directions[prefix.length] === -1;
  const first = isDescending ? range.upper : range.lower;
  const last = isDescending ? range.lower : range.upper;
  return {
    start: index.entries.seek(first === undefined ? prefix : [...prefix, first], false),
    end: index.entries.seek(last === undefined ? prefix : [...prefix, last], true),
  };
}
