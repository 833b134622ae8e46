import type { Document } from "./document.ts";
import { isDocument } from "./document.ts";

const DIGITS = /^\d+$/;

/** The parts of a dotted path. */
export function splitPath(path: string): readonly string[] {
  return path.split(".");
}

/** Tells whether a path part can be an array index. */
export function isArrayIndex(part: string): boolean {
  return DIGITS.test(part);
}

/**
 * Every value that a path reaches, with arrays on the way fanned out as MongoDB does in filters.
 * A branch that lacks the field yields undefined; an array at the end of the path is yielded whole.
 */
export function leavesAt(document: unknown, parts: readonly string[]): unknown[] {
  const leaves: unknown[] = [];
  collectLeaves(document, parts, 0, leaves);
  return leaves;
}

/** The values that a dotted path reaches in a document; see `leavesAt`. */
export function valuesAt(document: Document, path: string): unknown[] {
  return path.includes(".") ? leavesAt(document, splitPath(path)) : [document[path]];
}

function collectLeaves(start: unknown, parts: readonly string[], from: number, leaves: unknown[]): void {
  let value = start;
  for (let at = from; at < parts.length; at++) {
    const part = parts[at] ?? "";
    if (Array.isArray(value)) {
      collectFromArray(value, parts, at, leaves);
      return;
    }
    if (!isDocument(value)) {
      leaves.push(undefined);
      return;
    }
    value = value[part];
  }
  leaves.push(value);
}

function collectFromArray(array: readonly unknown[], parts: readonly string[], at: number, leaves: unknown[]): void {
  const part = parts[at] ?? "";
  if (isArrayIndex(part) && Number(part) < array.length) collectLeaves(array[Number(part)], parts, at + 1, leaves);
  for (const element of array) if (isDocument(element)) collectLeaves(element, parts, at, leaves);
}
