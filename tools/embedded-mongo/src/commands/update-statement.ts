import type { Collection } from "../catalog/collection.ts";
import type { StoredRecord } from "../catalog/stored-record.ts";
import { findRecords } from "../query/find-records.ts";
import { ServerError } from "../server-error.ts";
import { compileUpdate, isReplacement } from "../update/update.ts";
import type { Update } from "../update/update-function.ts";
import { upsertSeed } from "../update/upsert-seed.ts";
import { identicalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import type { ServerState } from "./command.ts";

/** One entry of an `update` command, or the update of a `findAndModify`. */
export interface UpdateStatement {
  readonly namespace: string;
  readonly filter: Document;
  readonly update: unknown;
  readonly isMulti: boolean;
  readonly isUpsert: boolean;
  readonly sort?: unknown;
  readonly hint?: unknown;
  readonly arrayFilters?: unknown;
  readonly variables?: Document;
}

/** What an update did; `before` and `after` are those of the first document. */
export interface UpdateOutcome {
  readonly matched: number;
  readonly modified: number;
  readonly upserted?: StoredRecord;
  readonly before?: Document;
  readonly after?: Document;
}

/** Applies an update to the documents that match it, or inserts one for an upsert that matches none. */
export function applyUpdate(state: ServerState, statement: UpdateStatement): UpdateOutcome {
  if (statement.isMulti && isReplacement(statement.update)) {
    throw new ServerError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const collection = state.catalog.find(statement.namespace);
  const records = findRecords(collection, { ...statement, limit: statement.isMulti ? 0 : 1 });
  const update = compileUpdate(statement.update, statement);
  if (collection !== undefined && records.length > 0) return updateRecords(state, collection, records, update);
  return statement.isUpsert ? upsert(state, statement, update) : { matched: 0, modified: 0 };
}

function updateRecords(
  state: ServerState,
  collection: Collection,
  records: readonly StoredRecord[],
  update: Update,
): UpdateOutcome {
  const before = records[0]?.document;
  let modified = 0;
  for (const record of records) {
    const updated = update(record.document);
    if (identicalValues(updated, record.document)) continue;
    state.writer.replace(collection, record, updated);
    modified++;
  }
  const after = records[0]?.document;
  if (before === undefined || after === undefined) return { matched: 0, modified: 0 };
  return { matched: records.length, modified, before, after };
}

function upsert(state: ServerState, statement: UpdateStatement, update: Update): UpdateOutcome {
  const seed = upsertSeed(statement.filter);
  const start = isReplacement(statement.update) ? idOf(seed) : seed;
  const collection = state.writer.ensureCollection(statement.namespace);
  const upserted = state.writer.insert(collection, update(start, true));
  return { matched: 0, modified: 0, upserted, after: upserted.document };
}

function idOf(seed: Document): Document {
  return seed["_id"] === undefined ? {} : { _id: seed["_id"] };
}
