import type { Document } from "../values/document.ts";
import { isDocument, isOperatorDocument } from "../values/document.ts";
import { isRegularExpression } from "../values/regular-expression.ts";

/** The bounds that a filter sets on one path. */
export interface PathBounds {
  equal?: { readonly value: unknown };
  anyOf?: readonly unknown[];
  lower?: unknown;
  upper?: unknown;
  /** Whether `lower` and `upper` hold for one and the same array element, as under `$elemMatch`. */
  isSameElement?: boolean;
}

/** The bounds of a filter by path; a document that breaks one of them does not match the filter. */
export type FilterBounds = ReadonlyMap<string, PathBounds>;

const MAX_MEMBERS = 200;

/** The bounds that all matches of a filter keep to. */
export function filterBounds(filter: Document): FilterBounds {
  const bounds = new Map<string, PathBounds>();
  collect(bounds, filter, "");
  return bounds;
}

/** Tells whether a value can be sought in an index: not an array, a regular expression, or missing. */
function isSeekable(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value) && !isRegularExpression(value);
}

function collect(bounds: Map<string, PathBounds>, filter: Document, prefix: string): void {
  for (const name of Object.keys(filter)) {
    const operand = filter[name];
    if (name === "$and" && Array.isArray(operand)) {
      for (const branch of operand) if (isDocument(branch)) collect(bounds, branch, prefix);
    } else if (!name.startsWith("$")) collectField(bounds, `${prefix}${name}`, operand);
  }
}

function collectField(bounds: Map<string, PathBounds>, path: string, operand: unknown): void {
  const entry = bounds.get(path) ?? {};
  if (isOperatorDocument(operand)) {
    addOperators(entry, operand, false);
    collectElementMatch(bounds, path, entry, operand["$elemMatch"]);
  } else if (isSeekable(operand)) entry.equal ??= { value: operand };
  bounds.set(path, entry);
}

function collectElementMatch(bounds: Map<string, PathBounds>, path: string, entry: PathBounds, operand: unknown): void {
  if (!isDocument(operand)) return;
  if (!isOperatorDocument(operand)) collect(bounds, operand, `${path}.`);
  else if (entry.lower === undefined && entry.upper === undefined) addOperators(entry, operand, true);
}

function addOperators(entry: PathBounds, operators: Document, isSameElement: boolean): void {
  const { $eq, $in } = operators;
  if ("$eq" in operators && isSeekable($eq)) entry.equal ??= { value: $eq };
  if (isSeekableList($in)) entry.anyOf ??= $in;
  addRange(entry, operators);
  if (isSameElement) entry.isSameElement = true;
}

function addRange(entry: PathBounds, { $gt, $gte, $lt, $lte }: Document): void {
  const lower = $gt ?? $gte;
  const upper = $lt ?? $lte;
  if (isBound(lower)) entry.lower ??= lower;
  if (isBound(upper)) entry.upper ??= upper;
}

function isSeekableList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_MEMBERS && value.every(isSeekable);
}

const isBound = (value: unknown): boolean => value !== null && isSeekable(value);
