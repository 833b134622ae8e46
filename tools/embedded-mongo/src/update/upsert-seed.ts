import { copyValue } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { arrayField, isDocument, isOperatorDocument } from "../values/document.ts";
import { splitPath } from "../values/field-path.ts";
import { isRegularExpression } from "../values/regular-expression.ts";
import { visitTargets, writeTarget } from "./update-path.ts";

const SEED_CONTEXT = { original: {}, filter: {}, arrayFilters: {}, isCreating: true } as const;

/** The document that an upsert starts from: the fields that the filter fixes by equality. */
export function upsertSeed(filter: Document): Document {
  const seed: Document = {};
  addEqualities(seed, filter);
  return seed;
}

function addEqualities(seed: Document, filter: Document): void {
  for (const name of Object.keys(filter)) {
    if (name === "$and") addBranches(seed, arrayField(filter, name));
    else if (name === "$or" && arrayField(filter, name).length === 1) addBranches(seed, arrayField(filter, name));
    else if (!name.startsWith("$")) addEquality(seed, name, fixedValue(filter[name]));
  }
}

function addBranches(seed: Document, branches: readonly unknown[]): void {
  for (const branch of branches) if (isDocument(branch)) addEqualities(seed, branch);
}

function addEquality(seed: Document, path: string, value: unknown): void {
  if (value === undefined) return;
  visitTargets(seed, splitPath(path), SEED_CONTEXT, (target) => {
    writeTarget(target, copyValue(value));
  });
}

function fixedValue(operand: unknown): unknown {
  if (!isOperatorDocument(operand)) return isRegularExpression(operand) ? undefined : operand;
  if ("$eq" in operand) return operand["$eq"];
  const members = [arrayField(operand, "$in"), arrayField(operand, "$all")].find((list) => list.length === 1);
  return members?.[0];
}
