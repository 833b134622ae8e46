import { Timestamp } from "bson";

import { badValue, ServerError } from "../server-error.ts";
import { addNumbers, multiplyNumbers, zeroLike } from "../values/arithmetic.ts";
import { compareValues } from "../values/compare.ts";
import { copyValue } from "../values/copy.ts";
import { isDocument } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import type { Target } from "./update-path.ts";
import { readTarget, writeTarget } from "./update-path.ts";

/** Changes the value at one target by an update operator's operand. */
export type TargetUpdate = (target: Target, operand: unknown) => void;

/** The update operators that change a single value. */
export const FIELD_OPERATORS: Readonly<Record<string, TargetUpdate>> = {
  $set: (target, operand) => {
    writeTarget(target, copyValue(operand));
  },
  $setOnInsert: (target, operand) => {
    writeTarget(target, copyValue(operand));
  },
  $unset: unset,
  $inc: (target, operand) => {
    calculate(target, operand, "$inc");
  },
  $mul: (target, operand) => {
    calculate(target, operand, "$mul");
  },
  $min: (target, operand) => {
    replaceWhen(target, operand, (order) => order < 0);
  },
  $max: (target, operand) => {
    replaceWhen(target, operand, (order) => order > 0);
  },
  $currentDate: (target, operand) => {
    writeTarget(target, currentDate(operand));
  },
  $bit: applyBits,
};

/** Removes the value at a target; an array element becomes null. */
export function unset(target: Target): void {
  const { container, key } = target;
  if (!Array.isArray(container)) Reflect.deleteProperty(container, key);
  else if (Number(key) < container.length) container[Number(key)] = null;
}

function calculate(target: Target, operand: unknown, operator: "$inc" | "$mul"): void {
  const current = readTarget(target);
  if (!isNumeric(operand)) {
    const verb = operator === "$inc" ? "increment" : "multiply";
    throw new ServerError(
      "TypeMismatch",
      `Cannot ${verb} with non-numeric argument: {${target.path}: ${String(operand)}}`,
    );
  }
  if (current !== undefined && !isNumeric(current)) {
    throw new ServerError(
      "TypeMismatch",
      `Cannot apply ${operator} to a value of non-numeric type at '${target.path}'`,
    );
  }
  if (current === undefined) writeTarget(target, operator === "$inc" ? operand : zeroLike(operand));
  else writeTarget(target, (operator === "$inc" ? addNumbers : multiplyNumbers)(current, operand));
}

function replaceWhen(target: Target, operand: unknown, accepts: (order: number) => boolean): void {
  const current = readTarget(target);
  if (current === undefined || accepts(compareValues(operand, current))) writeTarget(target, copyValue(operand));
}

function currentDate(operand: unknown): Date | Timestamp {
  const type = isDocument(operand) ? operand["$type"] : "date";
  const isFlag = typeof operand === "boolean";
  if (type === "timestamp") return new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  if (type !== "date" || !(isFlag || isDocument(operand))) {
    badValue("The '$type' string field is required to be 'date' or 'timestamp'");
  }
  return new Date();
}

function applyBits(target: Target, operand: unknown): void {
  const entry = isDocument(operand) ? Object.entries(operand)[0] : undefined;
  const current = readTarget(target) ?? 0;
  if (typeof current !== "number" || !Number.isInteger(current)) {
    badValue(`Cannot apply $bit to a value of non-integral type at '${target.path}'`);
  }
  writeTarget(target, combineBits(current, entry?.[0] ?? "", toNumber(entry?.[1])));
}

function combineBits(current: number, operation: string, mask: number): number {
  switch (operation) {
    case "and":
      return current & mask;
    case "or":
      return current | mask;
    case "xor":
      return current ^ mask;
    default:
      return badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${operation}'`);
  }
}
