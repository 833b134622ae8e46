import { badValue } from "../server-error.ts";
import { compareValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { valuesAt } from "../values/field-path.ts";
import { toNumber } from "../values/numbers.ts";

/** One field of a sort: its path, and 1 or -1. */
export interface SortKey {
  readonly path: string;
  readonly direction: 1 | -1;
}

interface Decorated<T> {
  readonly item: T;
  readonly values: readonly unknown[];
}

/** The fields of a sort specification in order. Throws BadValue on a direction that is not 1 or -1. */
export function sortKeysOf(specification: Document): SortKey[] {
  return Object.keys(specification).map((path) => {
    const value = specification[path];
    const direction = isDocument(value) ? 1 : Math.sign(toNumber(value));
    if (direction !== 1 && direction !== -1) badValue("$sort key ordering must be 1 (ascending) or -1 (descending)");
    return { path, direction };
  });
}

/** Sorts items by their documents, stably; an array field counts as its least or, descending, its greatest element. */
export function sortBy<T>(items: readonly T[], keys: readonly SortKey[], documentOf: (item: T) => Document): T[] {
  const decorated = items.map((item): Decorated<T> => {
    const document = documentOf(item);
    return { item, values: keys.map((key) => sortValue(document, key)) };
  });
  decorated.sort((left, right) => compareDecorated(left.values, right.values, keys));
  return decorated.map(({ item }) => item);
}

function compareDecorated(left: readonly unknown[], right: readonly unknown[], keys: readonly SortKey[]): number {
  for (const [at, key] of keys.entries()) {
    const result = compareValues(left[at], right[at]);
    if (result !== 0) return result * key.direction;
  }
  return 0;
}

function sortValue(document: Document, key: SortKey): unknown {
  const candidates = valuesAt(document, key.path).flatMap((value) =>
    Array.isArray(value) ? elementsOf(value) : [value],
  );
  return candidates.reduce(
    (best, value) => (compareValues(value, best) * key.direction < 0 ? value : best),
    candidates[0],
  );
}

const elementsOf = (array: readonly unknown[]): readonly unknown[] => (array.length === 0 ? [undefined] : array);
