import assert from "node:assert/strict";

import type { Collection, Db, Document, MongoClient } from "mongodb";

/** A document of a check: any fields, and an `_id` of any type. */
export interface CheckDocument extends Document {
  readonly _id?: string | number | object;
}

/** What a check works with: two collections of its own that are dropped afterwards. */
export interface CheckContext {
  readonly url: string;
  readonly client: MongoClient;
  readonly db: Db;
  readonly c: Collection<CheckDocument>;
  readonly other: Collection<CheckDocument>;
}

/** One check: it rejects when the server does not do what MongoDB 7 does. */
export type Check = (context: CheckContext) => Promise<void>;

/** Checks of one area by name. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: Readonly<Record<string, Check>>;
}

/** The value at a path of a result, so that checks need no casts. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (found === undefined || found === null) return undefined;
    found = Reflect.get(Object(found) as object, key);
  }
  return found;
}

/** The ids of documents. */
export function ids(documents: readonly Document[]): unknown[] {
  return documents.map((document): unknown => document["_id"]);
}

/** The error code of a rejection of the driver, also of a bulk write. */
export function codeOf(error: unknown): unknown {
  return at(error, "code") ?? at(error, "writeErrors", 0, "code");
}

/** Asserts that an operation is refused with one of the codes, and returns the error. */
export async function assertRefused(
  codes: number | readonly number[],
  operation: () => Promise<unknown>,
): Promise<unknown> {
  const expected: readonly unknown[] = [codes].flat();
  const error = await operation().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error !== undefined, `expected error ${String(codes)}, got none`);
  assert.ok(expected.includes(codeOf(error)), `expected code ${String(codes)}, got ${String(codeOf(error))}`);
  return error;
}

/** Passes when the operation works, or when the server refuses it with one of MongoDB's codes. */
export async function assertWorksOrRefused(codes: readonly number[], operation: () => Promise<void>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    const code = codeOf(error);
    assert.ok(
      typeof code === "number" && codes.includes(code),
      `expected it to work or to be refused with ${String(codes)}, got ${String(code)}`,
    );
  }
}
