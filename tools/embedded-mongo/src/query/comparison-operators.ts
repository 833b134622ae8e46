import { badValue } from "../server-error.ts";
import { compareValues, equalValues } from "../values/compare.ts";
import { compileRegularExpression, isRegularExpression } from "../values/regular-expression.ts";
import { typeRank } from "../values/type-order.ts";
import { valueKey } from "../values/value-key.ts";
import type { LeafPredicate, ValuePredicate } from "./leaf-predicate.ts";
import { anyValue } from "./leaf-predicate.ts";

const isNullish = (value: unknown): boolean => value === null || value === undefined;

/** The condition of `{ field: operand }`: equal, matching a regular expression, or null or missing for null. */
export function equalityPredicate(operand: unknown): LeafPredicate {
  if (isNullish(operand)) return anyValue(isNullish);
  if (isRegularExpression(operand)) return anyValue(patternTest(operand));
  return anyValue((value) => value !== undefined && equalValues(value, operand));
}

/** A test of one value against a regular expression: strings match it, a stored expression may equal it. */
export function patternTest(operand: unknown, options?: unknown): ValuePredicate {
  const expression = compileRegularExpression(operand, options);
  return (value) => {
    if (typeof value === "string") return expression.test(value);
    return isRegularExpression(value) && equalValues(value, operand);
  };
}

/** The condition of `$gt` and its kin: only values of the operand's own type are compared. */
export function rangePredicate(operand: unknown, accepts: (order: number) => boolean): LeafPredicate {
  if (isNullish(operand)) return anyValue((value) => isNullish(value) && accepts(0));
  const rank = typeRank(operand);
  return anyValue((value) => value !== undefined && typeRank(value) === rank && accepts(compareValues(value, operand)));
}

/** The condition of `$in`. */
export function membershipPredicate(operator: string, operand: unknown): LeafPredicate {
  if (!Array.isArray(operand)) badValue(`${operator} needs an array`);
  const members: readonly unknown[] = operand;
  const patterns = members.filter(isRegularExpression).map((pattern) => patternTest(pattern));
  const keys = new Set(members.filter((member) => !isRegularExpression(member)).map(valueKey));
  return anyValue((value) => keys.has(valueKey(value)) || patterns.some((matches) => matches(value)));
}
