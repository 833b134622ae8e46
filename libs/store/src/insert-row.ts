import type { Collection, Document, Filter } from "mongodb";

import { isDuplicateKey, storeCall } from "./store-call.ts";
import { literal, NOW, plusMs } from "./work-predicates.ts";

/** Dates of a new row that the store's clock gives. */
export type RowDates = "created_at" | "updated_at" | "due_at" | "deadline_at";

export interface NewRow {
  readonly _id: string;
  /** From insertion to the end of everything. */
  readonly deadline_ms: number;
}

/**
 * Inserts a row with dates of the store's clock. Repeatable: a row that exists stays as it is.
 * Returns the fields of the unique index that refused it; undefined when the row is there.
 */
export async function insertRow<Row extends Document>(
  collection: Collection<Row>,
  draft: NewRow,
): Promise<readonly string[] | undefined> {
  const { _id, deadline_ms, ...fields } = draft;
  const dates = { created_at: NOW, updated_at: NOW, due_at: NOW, deadline_at: plusMs(NOW, deadline_ms) };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const stages = [{ $set: { ...Object.fromEntries(given.map(([key, value]) => [key, literal(value)])), ...dates } }];
  const absent = { _id, created_at: { $exists: false } } as unknown as Filter<Row>;
  const refusedBy = await duplicateKey(() => storeCall(() => collection.updateOne(absent, stages, { upsert: true })));
  return refusedBy?.includes("_id") === true ? undefined : refusedBy;
}

async function duplicateKey(write: () => Promise<unknown>): Promise<readonly string[] | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return Object.keys((error as { keyPattern?: Document }).keyPattern ?? {});
  }
}
