import type { Matcher } from "../query/matcher.ts";
import { ServerError } from "../server-error.ts";
import { copyDocument } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { leavesAt, splitPath } from "../values/field-path.ts";
import { ARRAY_OPERATORS } from "./array-operators.ts";
import { FIELD_OPERATORS, unset } from "./field-operators.ts";
import type { Update } from "./update-function.ts";
import type { PathContext } from "./update-path.ts";
import { visitTargets, writeTarget } from "./update-path.ts";

interface Modifier {
  readonly operator: string;
  readonly path: string;
  readonly operand: unknown;
}

type ModifierContext = Omit<PathContext, "isCreating">;

const OPERATORS = { ...FIELD_OPERATORS, ...ARRAY_OPERATORS };
const NEVER_CREATING = new Set(["$unset", "$pull", "$pullAll", "$pop"]);

/**
 * Compiles a document of update operators. Fields are changed in the order of their names, as MongoDB does.
 * Throws FailedToParse (9) on an operator it lacks, ConflictingUpdateOperators (40) on overlapping paths.
 */
export function createModifiers(
  update: Document,
  filter: Document,
  arrayFilters: Readonly<Record<string, Matcher>>,
): Update {
  const modifiers = Object.keys(update).flatMap((operator) => modifiersOf(operator, update[operator]));
  refuseConflicts(modifiers);
  modifiers.sort((left, right) => (left.path < right.path ? -1 : Number(left.path > right.path)));
  return (document, isInsert) => {
    const updated = copyDocument(document);
    const active = modifiers.filter(({ operator }) => operator !== "$setOnInsert" || isInsert === true);
    for (const modifier of active) apply(modifier, updated, { original: document, filter, arrayFilters });
    return updated;
  };
}

function modifiersOf(operator: string, operands: unknown): Modifier[] {
  if (operator !== "$rename" && OPERATORS[operator] === undefined) {
    const expected = "Expected a valid update modifier or pipeline-style update specified as an array";
    throw new ServerError("FailedToParse", `Unknown modifier: ${operator}. ${expected}`);
  }
  if (!isDocument(operands)) {
    throw new ServerError("FailedToParse", `Modifiers operate on fields but we found type ${typeof operands} instead`);
  }
  return Object.keys(operands).map((path) => ({ operator, path, operand: operands[path] }));
}

function refuseConflicts(modifiers: readonly Modifier[]): void {
  const paths = modifiers.flatMap(({ operator, path, operand }) =>
    operator === "$rename" ? [path, String(operand)] : [path],
  );
  for (const path of paths) if (path === "" || path.split(".").includes("")) refuseEmptyName(path);
  const seen = new Set<string>();
  for (const path of paths.toSorted()) {
    const conflict = splitPath(path)
      .map((_, at, parts) => parts.slice(0, at + 1).join("."))
      .find((prefix) => seen.has(prefix));
    if (conflict !== undefined) {
      const message = `Updating the path '${path}' would create a conflict at '${conflict}'`;
      throw new ServerError("ConflictingUpdateOperators", message);
    }
    seen.add(path);
  }
}

function refuseEmptyName(path: string): never {
  throw new ServerError(
    "EmptyFieldName",
    `The update path '${path}' contains an empty field name, which is not allowed.`,
  );
}

function apply(modifier: Modifier, document: Document, context: ModifierContext): void {
  if (modifier.operator === "$rename") {
    rename(modifier, document, context);
    return;
  }
  const isCreating = !NEVER_CREATING.has(modifier.operator);
  visitTargets(document, splitPath(modifier.path), { ...context, isCreating }, (target) => {
    OPERATORS[modifier.operator]?.(target, modifier.operand);
  });
}

function rename(modifier: Modifier, document: Document, context: ModifierContext): void {
  const from = splitPath(modifier.path);
  const [value] = leavesAt(document, from);
  if (value === undefined) return;
  visitTargets(document, from, { ...context, isCreating: false }, unset);
  visitTargets(document, splitPath(String(modifier.operand)), { ...context, isCreating: true }, (target) => {
    writeTarget(target, value);
  });
}
