import type { Collection } from "../catalog/collection.ts";
import type { StoredRecord } from "../catalog/stored-record.ts";
import { candidatesOf } from "../indexes/candidates.ts";
import { defaultIndexName } from "../indexes/index-specification.ts";
import type { QueryPlan } from "../indexes/planner.ts";
import { planQuery } from "../indexes/planner.ts";
import { badValue } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { toNumber } from "../values/numbers.ts";
import { compileFilter } from "./matcher.ts";
import type { SortKey } from "./sorter.ts";
import { sortBy, sortKeysOf } from "./sorter.ts";

/** A query on one collection; a `limit` of 0 is none. */
export interface Query {
  readonly filter: Document;
  readonly sort?: unknown;
  readonly skip?: number;
  readonly limit?: number;
  readonly hint?: unknown;
  readonly variables?: Document;
}

/** The matching records in order. A missing collection has none, but a bad filter is still refused. */
export function findRecords(collection: Collection | undefined, query: Query): StoredRecord[] {
  const matches = compileFilter(query.filter, query.variables);
  if (collection === undefined) return [];
  const { sort, isReversed } = orderOf(query.sort);
  const plan = planFor(collection, query, sort);
  const isSorted = sort.length === 0 || yieldsOrder(plan);
  const { skip = 0, limit = 0 } = query;
  const end = limit > 0 ? skip + limit : Infinity;
  const found = takeMatching(candidatesOf(collection, plan), matches, isSorted && !isReversed ? end : Infinity);
  const ordered = isSorted ? found : sortBy(found, sort, (record) => record.document);
  return (isReversed ? ordered.toReversed() : ordered).slice(skip, end);
}

/** How a query would be answered, and whether what is found has to be sorted then. */
export function explainQuery(
  collection: Collection,
  query: Query,
): { readonly plan: QueryPlan; readonly sortsInMemory: boolean } {
  const { sort } = orderOf(query.sort);
  const plan = planFor(collection, query, sort);
  return { plan, sortsInMemory: sort.length > 0 && !yieldsOrder(plan) };
}

function planFor(collection: Collection, query: Query, sort: readonly SortKey[]): QueryPlan {
  const hint = hintedIndex(collection, query.hint);
  return planQuery(collection, { filter: query.filter, sort, ...(hint === undefined ? {} : { hint }) });
}

function takeMatching(
  candidates: Iterable<StoredRecord>,
  matches: (document: Document) => boolean,
  stop: number,
): StoredRecord[] {
  const found: StoredRecord[] = [];
  for (const record of candidates) {
    if (!matches(record.document)) continue;
    found.push(record);
    if (found.length >= stop) break;
  }
  return found;
}

function orderOf(sort: unknown): { readonly sort: readonly SortKey[]; readonly isReversed: boolean } {
  if (!isDocument(sort)) return { sort: [], isReversed: false };
  if ("$natural" in sort) return { sort: [], isReversed: toNumber(sort["$natural"]) < 0 };
  return { sort: sortKeysOf(sort), isReversed: false };
}

function yieldsOrder(plan: QueryPlan): boolean {
  return (plan.kind === "index" && plan.sortDirection !== 0) || (plan.kind === "ids" && plan.ids.length === 1);
}

function hintedIndex(collection: Collection, hint: unknown): string | undefined {
  if (hint === undefined || hint === null) return undefined;
  if (isDocument(hint) && "$natural" in hint) return undefined;
  const name = isDocument(hint) ? defaultIndexName(hint) : typeof hint === "string" ? hint : "";
  const indexes = [...collection.indexes.values()];
  const byKey = indexes.find((index) => isDocument(hint) && defaultIndexName(index.specification.key) === name);
  const found = byKey?.specification.name ?? name;
  if (found === "_id_" || collection.indexes.has(found) || name === "_id_1") return found;
  return badValue("error processing query: hint provided does not correspond to an existing index");
}
