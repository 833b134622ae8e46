import { ServerError } from "../server-error.ts";
import { equalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { valueKey } from "../values/value-key.ts";

/** An index as `listIndexes` shows it. */
export interface IndexSpecification {
  readonly v: 2;
  readonly key: Document;
  readonly name: string;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly hidden?: boolean;
  readonly expireAfterSeconds?: number;
  readonly partialFilterExpression?: Document;
}

/** The index that every collection has. */
export const ID_INDEX: IndexSpecification = { v: 2, key: { _id: 1 }, name: "_id_" };

/** MongoDB's default name of an index, such as `a_1_b_-1`. */
export function defaultIndexName(key: Document): string {
  return Object.keys(key)
    .map((path) => `${path}_${isNumeric(key[path]) ? String(toNumber(key[path])) : String(key[path])}`)
    .join("_");
}

/**
 * Reads an index specification of `createIndexes`. Text, geo, hashed and wildcard indexes and collations are refused
 * with CannotCreateIndex (67).
 */
export function parseIndexSpecification(source: unknown): IndexSpecification {
  const key = isDocument(source) ? source["key"] : undefined;
  if (!isDocument(source) || !isDocument(key) || Object.keys(key).length === 0) {
    throw new ServerError("CannotCreateIndex", "Index keys cannot be an empty object.");
  }
  refuseUnsupported(source, key);
  const partial = source["partialFilterExpression"];
  return {
    v: 2,
    key,
    name: typeof source["name"] === "string" ? source["name"] : defaultIndexName(key),
    ...flag(source, "unique"),
    ...flag(source, "sparse"),
    ...flag(source, "hidden"),
    ...(source["expireAfterSeconds"] === undefined
      ? {}
      : { expireAfterSeconds: toNumber(source["expireAfterSeconds"]) }),
    ...(isDocument(partial) ? { partialFilterExpression: partial } : {}),
  };
}

function flag(source: Document, name: "unique" | "sparse" | "hidden"): Record<string, true> {
  const value = source[name];
  return value === true || (isNumeric(value) && toNumber(value) !== 0) ? { [name]: true } : {};
}

function refuseUnsupported(source: Document, key: Document): void {
  const special = Object.keys(key).find((path) => !isNumeric(key[path]) || path.includes("$**"));
  if (special !== undefined) {
    throw new ServerError(
      "CannotCreateIndex",
      `Index field '${special}': text, geo, hashed and wildcard indexes are not supported`,
    );
  }
  const collation = source["collation"];
  if (isDocument(collation) && collation["locale"] !== "simple") {
    throw new ServerError("CannotCreateIndex", "An index with a collation is not supported");
  }
}

/** Tells whether an index of this name or key exists already; throws 85 or 86 when the existing one differs. */
export function isExistingIndex(existing: readonly IndexSpecification[], wanted: IndexSpecification): boolean {
  const sameName = existing.find(({ name }) => name === wanted.name);
  const samePlace = existing.find((one) => valueKey(placeOf(one)) === valueKey(placeOf(wanted)));
  if (sameName !== undefined && sameName !== samePlace) {
    const message = `An existing index has the same name as the requested index: ${wanted.name}`;
    throw new ServerError("IndexKeySpecsConflict", message);
  }
  if (samePlace === undefined) return false;
  if (!equalValues(optionsOf(samePlace), optionsOf(wanted))) {
    throw new ServerError("IndexOptionsConflict", `Index ${samePlace.name} already exists with different options`);
  }
  if (sameName === undefined && !equalValues(wanted.key, ID_INDEX.key)) {
    throw new ServerError("IndexOptionsConflict", `Index already exists with a different name: ${samePlace.name}`);
  }
  return true;
}

const placeOf = ({ key, partialFilterExpression }: IndexSpecification): unknown[] => [
  key,
  partialFilterExpression ?? null,
];

/** What makes two indexes on one place different ones, as a document to compare. */
function optionsOf({ unique, sparse, expireAfterSeconds }: IndexSpecification): Document {
  return { unique: unique ?? false, sparse: sparse ?? false, expireAfterSeconds: expireAfterSeconds ?? null };
}
