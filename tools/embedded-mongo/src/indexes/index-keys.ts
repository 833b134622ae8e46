import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { isArrayIndex } from "../values/field-path.ts";
import { valueKey } from "../values/value-key.ts";

/** One key of an index: a value for each of its fields; null stands for a missing field too. */
export type IndexKey = readonly unknown[];

/** The keys of one document, and whether an array fanned out, so that there may be several or none like the value. */
export interface DocumentKeys {
  readonly keys: readonly IndexKey[];
  readonly isMultikey: boolean;
  /** Whether the document has none of the fields, so that a sparse index leaves it out. */
  readonly isMissing: boolean;
}

/** How far one field's path has been followed. */
interface Cursor {
  readonly value: unknown;
  readonly rest: readonly string[];
  /** True once an array at the end of the path has been fanned out: its elements are taken whole. */
  readonly isElement: boolean;
}

/**
 * The index keys of a document. An array on a path gives one key for each element, elements of one array staying
 * together; two different arrays are refused with CannotIndexParallelArrays (171).
 */
export function documentKeys(document: Document, paths: readonly (readonly string[])[]): DocumentKeys {
  const cursors = paths.map((rest) => advance({ value: document, rest, isElement: false }));
  const array = cursors.some(isAtArray);
  const found = array ? expand(cursors) : [cursors.map(({ value }) => value)];
  const isMissing = found.every((key) => key.every((value) => value === undefined));
  const keys = found.map((key) => key.map((value) => (value === undefined ? null : value)));
  return { keys: keys.length > 1 ? distinctKeys(keys) : keys, isMultikey: array, isMissing };
}

const isAtArray = (cursor: Cursor): boolean => Array.isArray(cursor.value) && !cursor.isElement;

function advance(cursor: Cursor): Cursor {
  let { value, rest } = cursor;
  if (cursor.isElement) return cursor;
  while (rest.length > 0) {
    const [part = ""] = rest;
    if (isDocument(value)) value = value[part];
    else if (Array.isArray(value)) {
      if (!isArrayIndex(part) || Number(part) >= value.length) break;
      value = (value as readonly unknown[])[Number(part)];
    } else return { value: undefined, rest: [], isElement: true };
    rest = rest.slice(1);
  }
  return { value, rest, isElement: false };
}

function expand(cursors: readonly Cursor[]): IndexKey[] {
  const array = cursors.find(isAtArray)?.value as readonly unknown[] | undefined;
  if (array === undefined) return [cursors.map(({ value }) => value)];
  if (cursors.some((cursor) => isAtArray(cursor) && cursor.value !== array)) {
    throw new ServerError("CannotIndexParallelArrays", "cannot index parallel arrays");
  }
  const elements = array.length === 0 ? [undefined] : array;
  return elements.flatMap((element) => expand(cursors.map((cursor) => enter(cursor, element))));
}

function enter(cursor: Cursor, element: unknown): Cursor {
  if (!isAtArray(cursor)) return cursor;
  if (cursor.rest.length === 0) return { value: element, rest: [], isElement: true };
  if (!isDocument(element)) return { value: undefined, rest: [], isElement: true };
  return advance({ value: element, rest: cursor.rest, isElement: false });
}

function distinctKeys(keys: readonly IndexKey[]): IndexKey[] {
  return [...new Map(keys.map((key) => [valueKey(key), key])).values()];
}
