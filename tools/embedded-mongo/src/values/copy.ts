import type { Document } from "./document.ts";
import { isDocument, setField } from "./document.ts";
import { toNumber } from "./numbers.ts";
import { compileRegularExpression } from "./regular-expression.ts";
import { wrapperName } from "./type-order.ts";

/** A deep copy: documents and arrays are new, BSON wrappers, which nothing changes, are shared. */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (isDocument(value)) return copyDocument(value);
  return value instanceof Date ? new Date(value) : value;
}

/** A deep copy of a document. */
export function copyDocument(document: Document): Document {
  const copy: Document = {};
  for (const name of Object.keys(document)) setField(copy, name, copyValue(document[name]));
  return copy;
}

const PLAIN_NUMBERS = new Set(["Long", "Double", "Int32"]);

/** A deep copy with plain JavaScript numbers and regular expressions, as the expression engine needs them. */
export function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (isDocument(value)) return plainDocument(value);
  const name = wrapperName(value);
  if (name === undefined) return value;
  if (name === "BSONRegExp") return compileRegularExpression(value);
  return PLAIN_NUMBERS.has(name) ? toNumber(value) : value;
}

/** `plainValue` of a document. */
export function plainDocument(document: Document): Document {
  const copy: Document = {};
  for (const name of Object.keys(document)) setField(copy, name, plainValue(document[name]));
  return copy;
}

/** Gives back the number kinds that `plainValue` dropped: where `result` still holds the value of `original`, its kind. */
export function restoreKinds(result: unknown, original: unknown): unknown {
  if (Array.isArray(result)) {
    const source: readonly unknown[] = Array.isArray(original) ? original : [];
    return result.map((value, at) => restoreKinds(value, source[at]));
  }
  if (isDocument(result)) return restoreDocument(result, isDocument(original) ? original : {});
  if (result instanceof RegExp) return wrapperName(original) === "BSONRegExp" ? original : result;
  return typeof result === "number" && isWrappedNumber(original, result) ? original : result;
}

function restoreDocument(result: Document, original: Document): Document {
  const restored: Document = {};
  for (const name of Object.keys(result)) setField(restored, name, restoreKinds(result[name], original[name]));
  return restored;
}

function isWrappedNumber(original: unknown, result: number): boolean {
  const name = wrapperName(original);
  return (name === "Long" || name === "Double") && toNumber(original) === result;
}
