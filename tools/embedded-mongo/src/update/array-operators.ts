import { equalityPredicate } from "../query/comparison-operators.ts";
import type { ValuePredicate } from "../query/leaf-predicate.ts";
import { compileFilter } from "../query/matcher.ts";
import { sortBy, sortKeysOf } from "../query/sorter.ts";
import { valuePredicate } from "../query/value-operators.ts";
import { badValue, ServerError } from "../server-error.ts";
import { compareValues, equalValues } from "../values/compare.ts";
import { copyValue } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { isDocument, isOperatorDocument } from "../values/document.ts";
import { toNumber } from "../values/numbers.ts";
import { isRegularExpression } from "../values/regular-expression.ts";
import type { TargetUpdate } from "./field-operators.ts";
import type { Target } from "./update-path.ts";
import { readTarget, writeTarget } from "./update-path.ts";

const PUSH_CLAUSES = new Set(["$each", "$slice", "$sort", "$position"]);

/** The update operators that change an array. */
export const ARRAY_OPERATORS: Readonly<Record<string, TargetUpdate>> = {
  $push: push,
  $addToSet: addToSet,
  $pull: (target, operand) => {
    keepElements(target, not(pullTest(operand)));
  },
  $pullAll: (target, operand) => {
    if (!Array.isArray(operand)) badValue("$pullAll requires an array argument");
    keepElements(target, (element) => !operand.some((value) => equalValues(value, element)));
  },
  $pop: pop,
};

const not =
  (test: ValuePredicate): ValuePredicate =>
  (value) =>
    !test(value);

function arrayAt(target: Target, operator: string): unknown[] {
  const current = readTarget(target);
  if (current !== undefined && !Array.isArray(current)) {
    badValue(`The field '${target.path}' must be an array for ${operator} but is of type ${typeof current}`);
  }
  return current === undefined ? [] : [...(current as readonly unknown[])];
}

function push(target: Target, operand: unknown): void {
  const array = arrayAt(target, "$push");
  if (!isDocument(operand) || !("$each" in operand)) {
    array.push(copyValue(operand));
    writeTarget(target, array);
    return;
  }
  const unknown = Object.keys(operand).find((name) => !PUSH_CLAUSES.has(name));
  if (unknown !== undefined) badValue(`Unrecognized clause in $push: ${unknown}`);
  array.splice(insertPosition(array, operand["$position"]), 0, ...eachOf(operand, "$push"));
  writeTarget(target, sliceArray(sortArray(array, operand["$sort"]), operand["$slice"]));
}

function eachOf(operand: Document, operator: string): unknown[] {
  const values = operand["$each"];
  if (!Array.isArray(values)) badValue(`The argument to $each in ${operator} must be an array`);
  return values.map(copyValue);
}

function insertPosition(array: readonly unknown[], position: unknown): number {
  if (position === undefined) return array.length;
  const index = toNumber(position);
  return index < 0 ? Math.max(0, array.length + index) : index;
}

function sortArray(array: unknown[], order: unknown): unknown[] {
  if (order === undefined) return array;
  if (isDocument(order)) return sortBy(array, sortKeysOf(order), (element) => (isDocument(element) ? element : {}));
  const direction = toNumber(order);
  return array.toSorted((left, right) => compareValues(left, right) * direction);
}

function sliceArray(array: unknown[], slice: unknown): unknown[] {
  if (slice === undefined) return array;
  const count = toNumber(slice);
  if (count === 0) return [];
  return count < 0 ? array.slice(count) : array.slice(0, count);
}

function addToSet(target: Target, operand: unknown): void {
  const array = arrayAt(target, "$addToSet");
  const values = isDocument(operand) && "$each" in operand ? eachOf(operand, "$addToSet") : [copyValue(operand)];
  for (const value of values) if (!array.some((element) => equalValues(element, value))) array.push(value);
  writeTarget(target, array);
}

function pullTest(operand: unknown): ValuePredicate {
  if (isOperatorDocument(operand)) {
    const matches = valuePredicate(operand, compileFilter);
    return (element) => matches([element]);
  }
  if (isRegularExpression(operand)) {
    const matches = equalityPredicate(operand);
    return (element) => matches([element]);
  }
  if (!isDocument(operand)) return (element) => equalValues(element, operand);
  const matches = compileFilter(operand);
  return (element) => isDocument(element) && matches(element);
}

function keepElements(target: Target, isKept: ValuePredicate): void {
  const current = readTarget(target);
  if (current === undefined) return;
  if (!Array.isArray(current)) badValue("Cannot apply $pull to a non-array value");
  writeTarget(target, current.filter(isKept));
}

function pop(target: Target, operand: unknown): void {
  const current = readTarget(target);
  if (current === undefined) return;
  if (!Array.isArray(current)) {
    throw new ServerError("TypeMismatch", `Path '${target.path}' contains an element of non-array type`);
  }
  writeTarget(target, toNumber(operand) < 0 ? current.slice(1) : current.slice(0, -1));
}
