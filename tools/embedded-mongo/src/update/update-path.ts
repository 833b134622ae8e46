import type { Matcher } from "../query/matcher.ts";
import { matchedElementIndex } from "../query/positional.ts";
import { badValue, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument, setField } from "../values/document.ts";
import { isArrayIndex } from "../values/field-path.ts";

/** A place that an update path reached: the container, the field name or array index in it, and its full path. */
export interface Target {
  readonly container: Document | unknown[];
  readonly key: string;
  readonly path: string;
}

/** What resolving a path needs to know about the whole update. */
export interface PathContext {
  /** The document before the update: what the positional `$` was matched on. */
  readonly original: Document;
  readonly filter: Document;
  readonly arrayFilters: Readonly<Record<string, Matcher>>;
  /** Whether missing containers on the way are created, as for `$set`, or the path is left, as for `$unset`. */
  readonly isCreating: boolean;
}

interface Walk {
  readonly parts: readonly string[];
  readonly context: PathContext;
  readonly visit: (target: Target) => void;
}

const MAX_ARRAY_PADDING = 1_500_000;

/** The value at a target; undefined when it is missing. */
export function readTarget({ container, key }: Target): unknown {
  if (Array.isArray(container)) return container[Number(key)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

/** Writes the value at a target; an array that is too short is padded with null. */
export function writeTarget({ container, key }: Target, value: unknown): void {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  padArray(container, Number(key));
  container[Number(key)] = value;
}

/** Calls `visit` for each place that a path with array indexes, `$`, `$[]` or `$[name]` reaches. */
export function visitTargets(
  root: Document,
  parts: readonly string[],
  context: PathContext,
  visit: Walk["visit"],
): void {
  descend({ parts, context, visit }, root, 0);
}

function descend(walk: Walk, node: unknown, at: number): void {
  const part = walk.parts[at] ?? "";
  if (part === "$") visitPositional(walk, node, at);
  else if (part.startsWith("$[")) visitFiltered(walk, node, at);
  else if (Array.isArray(node)) visitIndex(walk, node, at);
  else if (isDocument(node)) visitKey(walk, { container: node, key: part, path: pathTo(walk, at) }, at);
  else if (walk.context.isCreating) notViable(walk, node, at);
}

const pathTo = (walk: Walk, at: number): string => walk.parts.slice(0, at + 1).join(".");

function notViable(walk: Walk, node: unknown, at: number): never {
  const element = `{${walk.parts[at - 1] ?? ""}: ${JSON.stringify(node)}}`;
  throw new ServerError("PathNotViable", `Cannot create field '${walk.parts[at] ?? ""}' in element ${element}`);
}

function visitIndex(walk: Walk, array: unknown[], at: number): void {
  const part = walk.parts[at] ?? "";
  if (isArrayIndex(part)) visitKey(walk, { container: array, key: part, path: pathTo(walk, at) }, at);
  else if (walk.context.isCreating) notViable(walk, array, at);
}

function visitPositional(walk: Walk, node: unknown, at: number): void {
  const path = walk.parts.slice(0, at).join(".");
  const index = Array.isArray(node) ? matchedElementIndex(walk.context.original, path, walk.context.filter) : -1;
  if (index < 0) badValue("The positional operator did not find the match needed from the query.");
  visitKey(walk, { container: node as unknown[], key: String(index), path: `${path}.${String(index)}` }, at);
}

function visitFiltered(walk: Walk, node: unknown, at: number): void {
  const path = walk.parts.slice(0, at).join(".");
  if (!Array.isArray(node)) badValue(`The path '${path}' must exist in the document in order to apply array updates.`);
  const identifier = (walk.parts[at] ?? "").slice(2, -1);
  const matches = identifier === "" ? () => true : walk.context.arrayFilters[identifier];
  if (matches === undefined) {
    badValue(`No array filter found for identifier '${identifier}' in path '${walk.parts.join(".")}'`);
  }
  for (const [index, element] of (node as readonly unknown[]).entries()) {
    if (!matches({ [identifier]: element })) continue;
    visitKey(walk, { container: node, key: String(index), path: `${path}.${String(index)}` }, at);
  }
}

function visitKey(walk: Walk, target: Target, at: number): void {
  if (at === walk.parts.length - 1) {
    walk.visit(target);
    return;
  }
  const next = readTarget(target) ?? createContainer(walk, target, at);
  if (next !== undefined) descend(walk, next, at + 1);
}

function createContainer(walk: Walk, target: Target, at: number): unknown {
  if (readTarget(target) === null && walk.context.isCreating) notViable(walk, null, at + 1);
  if (!walk.context.isCreating) return undefined;
  if (walk.parts[at + 1]?.startsWith("$")) {
    badValue(`The path '${target.path}' must exist in the document in order to apply array updates.`);
  }
  const created: Document = {};
  writeTarget(target, created);
  return created;
}

function padArray(array: unknown[], length: number): void {
  if (length - array.length > MAX_ARRAY_PADDING) badValue("cannot pad the array, too many elements would be added");
  while (array.length < length) array.push(null);
}
