import type { Collection } from "../catalog/collection.ts";
import type { SortKey } from "../query/sorter.ts";
import { equalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { arrayField, isDocument, isOperatorDocument } from "../values/document.ts";
import type { FilterBounds, PathBounds } from "./filter-bounds.ts";
import { filterBounds } from "./filter-bounds.ts";
import type { SecondaryIndex } from "./secondary-index.ts";

/** How to find the candidates of a query in an index. */
export interface IndexPlan {
  readonly kind: "index";
  readonly index: SecondaryIndex;
  /** The values that the leading fields equal. */
  readonly prefix: readonly unknown[];
  /** The values of which the next field equals one. */
  readonly anyOf?: readonly unknown[];
  /** The range of the next field. */
  readonly range?: PathBounds;
  /** 1 or -1 when scanning in that direction yields the order of the sort, 0 when it does not. */
  readonly sortDirection: number;
}

/** How to find the candidates of a query; every candidate is still tested against the filter. */
export type QueryPlan =
  | IndexPlan
  | { readonly kind: "ids"; readonly ids: readonly unknown[] }
  | { readonly kind: "union"; readonly branches: readonly QueryPlan[] }
  | { readonly kind: "scan" };

/** What is planned: the filter, the order wanted, and the name of the index to prefer. */
export interface QueryShape {
  readonly filter: Document;
  readonly sort: readonly SortKey[];
  readonly hint?: string;
}

interface ScoredPlan {
  readonly plan: IndexPlan;
  readonly score: number;
}

/** Chooses how to find the candidates of a query. */
export function planQuery(collection: Collection, shape: QueryShape): QueryPlan {
  const bounds = filterBounds(shape.filter);
  const id = bounds.get("_id");
  if (id?.equal !== undefined) return { kind: "ids", ids: [id.equal.value] };
  if (id?.anyOf !== undefined) return { kind: "ids", ids: id.anyOf };
  return bestIndexPlan(collection, shape, bounds) ?? planBranches(collection, shape) ?? { kind: "scan" };
}

function bestIndexPlan(collection: Collection, shape: QueryShape, bounds: FilterBounds): IndexPlan | undefined {
  let best: ScoredPlan | undefined;
  for (const index of usableIndexes(collection, shape, bounds)) {
    const candidate = planIndex(index, shape, bounds);
    if (candidate.score > (best?.score ?? 0)) best = candidate;
  }
  return best?.plan;
}

function* usableIndexes(collection: Collection, shape: QueryShape, bounds: FilterBounds): Generator<SecondaryIndex> {
  for (const index of collection.indexes.values()) if (isUsable(index, shape.filter, bounds)) yield index;
  const isIdWanted = bounds.get("_id") !== undefined || shape.sort[0]?.path === "_id";
  if (isIdWanted) yield collection.idOrder();
}

/** A sparse or partial index serves only filters whose every match it holds. */
function isUsable(index: SecondaryIndex, filter: Document, bounds: FilterBounds): boolean {
  const { sparse, partialFilterExpression, hidden } = index.specification;
  if (hidden === true) return false;
  if (sparse === true && !index.paths.some((path) => excludesMissing(bounds.get(path)))) return false;
  return partialFilterExpression === undefined || isImplied(partialFilterExpression, filter, bounds);
}

function excludesMissing(bounds: PathBounds | undefined): boolean {
  if (bounds === undefined) return false;
  if (bounds.equal !== undefined) return bounds.equal.value !== null;
  if (bounds.anyOf !== undefined) return !bounds.anyOf.includes(null);
  return bounds.lower !== undefined || bounds.upper !== undefined;
}

function isImplied(partial: Document, filter: Document, bounds: FilterBounds): boolean {
  return Object.keys(partial).every((path) => {
    const wanted = partial[path];
    if (equalValues(filter[path], wanted) && path in filter) return true;
    const entry = bounds.get(path);
    if (!isOperatorDocument(wanted)) return entry?.equal !== undefined && equalValues(entry.equal.value, wanted);
    if ("$eq" in wanted) return entry?.equal !== undefined && equalValues(entry.equal.value, wanted["$eq"]);
    const isExistence = Object.keys(wanted).length === 1 && wanted["$exists"] === true;
    return isExistence && excludesMissing(entry);
  });
}

function planIndex(index: SecondaryIndex, shape: QueryShape, bounds: FilterBounds): ScoredPlan {
  const prefix = equalPrefix(index, bounds);
  const next = index.paths[prefix.length];
  const entry = next !== undefined && canExtend(index, prefix.length) ? bounds.get(next) : undefined;
  const anyOf = entry?.anyOf;
  const range = anyOf === undefined && entry !== undefined ? soundRange(index, entry) : undefined;
  const sortDirection = anyOf === undefined ? sortDirectionOf(index, shape.sort, prefix.length, bounds) : 0;
  const plan: IndexPlan = {
    kind: "index",
    index,
    prefix,
    sortDirection,
    ...(anyOf === undefined ? {} : { anyOf }),
    ...(range === undefined ? {} : { range }),
  };
  return { plan, score: scoreOf(plan, shape.hint) };
}

function scoreOf(plan: IndexPlan, hint: string | undefined): number {
  const bounded = (plan.anyOf === undefined ? 0 : 6) + (plan.range === undefined ? 0 : 4);
  const ordered = plan.sortDirection === 0 ? 0 : 5;
  return plan.prefix.length * 10 + bounded + ordered + (hint === plan.index.specification.name ? 1000 : 0);
}

function equalPrefix(index: SecondaryIndex, bounds: FilterBounds): unknown[] {
  const prefix: unknown[] = [];
  for (const [at, path] of index.paths.entries()) {
    const equal = bounds.get(path)?.equal;
    if (equal === undefined || !canExtend(index, at)) break;
    prefix.push(equal.value);
  }
  return prefix;
}

/**
 * A multikey index holds the fields of one array element together, while the conditions of a filter may be met by
 * different elements: a field that shares its first path part with an earlier one must not narrow the scan.
 */
function canExtend(index: SecondaryIndex, at: number): boolean {
  if (!index.isMultikey()) return true;
  const root = index.paths[at]?.split(".")[0];
  return !index.paths.slice(0, at).some((path) => path.split(".")[0] === root);
}

/** On an array field `$gt` and `$lt` may be met by different elements: only one of them bounds the scan. */
function soundRange(index: SecondaryIndex, entry: PathBounds): PathBounds | undefined {
  if (entry.lower === undefined && entry.upper === undefined) return undefined;
  if (!index.isMultikey() || entry.isSameElement === true || entry.lower === undefined) return entry;
  return { lower: entry.lower };
}

function sortDirectionOf(index: SecondaryIndex, sort: readonly SortKey[], from: number, bounds: FilterBounds): number {
  if (sort.length === 0 || index.isMultikey()) return 0;
  const rest = sort.filter(({ path }) => bounds.get(path)?.equal === undefined);
  const directions = rest.map((key, at) =>
    index.paths[from + at] === key.path ? key.direction * (index.directions[from + at] ?? 1) : 0,
  );
  const [first = 1] = directions;
  return directions.every((direction) => direction === first) ? first : 0;
}

/** A filter whose every `$or` branch has an index is the union of the branches. */
function planBranches(collection: Collection, shape: QueryShape): QueryPlan | undefined {
  const branches = arrayField(shape.filter, "$or").filter(isDocument);
  if (branches.length === 0) return undefined;
  const plans = branches.map((filter) => planQuery(collection, { filter, sort: [] }));
  return plans.every((plan) => plan.kind !== "scan") ? { kind: "union", branches: plans } : undefined;
}
