import { badValue, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { isRegularExpression } from "../values/regular-expression.ts";
import { isOfType } from "../values/type-name.ts";
import { equalityPredicate, membershipPredicate, patternTest, rangePredicate } from "./comparison-operators.ts";
import type { LeafPredicate, ValuePredicate } from "./leaf-predicate.ts";
import { allOf, anyValue, negated, wholeValue } from "./leaf-predicate.ts";

/** Compiles a whole filter for the elements of an array; given by the matcher to avoid a cycle of modules. */
export type FilterCompiler = (filter: Document) => (document: Document) => boolean;

/** What building an operator's condition needs: its operand, the operators beside it, and the filter compiler. */
interface OperatorSite {
  readonly operand: unknown;
  readonly siblings: Document;
  readonly compileFilter: FilterCompiler;
}

type OperatorBuilder = (site: OperatorSite) => LeafPredicate;

const LOGICAL_OPERATORS = new Set(["$and", "$or", "$nor"]);

const OPERATORS: Readonly<Record<string, OperatorBuilder>> = {
  $eq: ({ operand }) => equalityPredicate(operand),
  $ne: ({ operand }) => negated(equalityPredicate(operand)),
  $gt: ({ operand }) => rangePredicate(operand, (order) => order > 0),
  $gte: ({ operand }) => rangePredicate(operand, (order) => order >= 0),
  $lt: ({ operand }) => rangePredicate(operand, (order) => order < 0),
  $lte: ({ operand }) => rangePredicate(operand, (order) => order <= 0),
  $in: ({ operand }) => membershipPredicate("$in", operand),
  $nin: ({ operand }) => negated(membershipPredicate("$nin", operand)),
  $exists: ({ operand }) => existence(operand),
  $type: ({ operand }) => anyValue((value) => isOfType(value, operand)),
  $size: ({ operand }) => wholeValue((value) => Array.isArray(value) && value.length === toNumber(operand)),
  $all: allPredicate,
  $elemMatch: elementPredicate,
  $not: notPredicate,
  $mod: ({ operand }) => moduloPredicate(operand),
  $regex: ({ operand, siblings }) => anyValue(patternTest(operand, siblings["$options"])),
  $options: ({ siblings }) => (siblings["$regex"] === undefined ? badValue("$options needs a $regex") : () => true),
  $bitsAllSet: ({ operand }) => bitsPredicate("$bitsAllSet", operand, (bits, mask) => (bits & mask) === mask),
  $bitsAnySet: ({ operand }) => bitsPredicate("$bitsAnySet", operand, (bits, mask) => (bits & mask) !== 0n),
  $bitsAllClear: ({ operand }) => bitsPredicate("$bitsAllClear", operand, (bits, mask) => (bits & mask) === 0n),
  $bitsAnyClear: ({ operand }) => bitsPredicate("$bitsAnyClear", operand, (bits, mask) => (bits & mask) !== mask),
};

/** Compiles the operators of one field, such as `{ $gt: 1, $lt: 5 }`. Throws BadValue on an operator it lacks. */
export function valuePredicate(operators: Document, compileFilter: FilterCompiler): LeafPredicate {
  return allOf(
    Object.keys(operators).map((name) => {
      const build = OPERATORS[name];
      if (build === undefined) badValue(`unknown operator: ${name}`);
      return build({ operand: operators[name], siblings: operators, compileFilter });
    }),
  );
}

/** A test of one array element against the operand of `$elemMatch`, which is a filter or operators. */
export function elementTest(operand: unknown, compileFilter: FilterCompiler): ValuePredicate {
  if (!isDocument(operand)) badValue("$elemMatch needs an Object");
  const names = Object.keys(operand);
  const isOperators = names.length > 0 && names.every((name) => name.startsWith("$") && !LOGICAL_OPERATORS.has(name));
  if (isOperators) {
    const matches = valuePredicate(operand, compileFilter);
    return (element) => matches([element]);
  }
  const matches = compileFilter(operand);
  return (element) => (isDocument(element) || Array.isArray(element)) && matches(element as Document);
}

function elementPredicate({ operand, compileFilter }: OperatorSite): LeafPredicate {
  const test = elementTest(operand, compileFilter);
  return wholeValue((value) => Array.isArray(value) && value.some(test));
}

function existence(operand: unknown): LeafPredicate {
  const isWanted = !(operand === false || operand === null || (isNumeric(operand) && toNumber(operand) === 0));
  return (leaves) => leaves.some((leaf) => leaf !== undefined) === isWanted;
}

function allPredicate({ operand, compileFilter }: OperatorSite): LeafPredicate {
  if (!Array.isArray(operand)) badValue("$all needs an array");
  const conditions = operand.map((member: unknown) => {
    if (!isDocument(member) || !("$elemMatch" in member)) return equalityPredicate(member);
    return elementPredicate({ operand: member["$elemMatch"], siblings: member, compileFilter });
  });
  return conditions.length === 0 ? () => false : allOf(conditions);
}

function notPredicate({ operand, compileFilter }: OperatorSite): LeafPredicate {
  if (isRegularExpression(operand)) return negated(equalityPredicate(operand));
  if (!isDocument(operand)) badValue("$not needs a regex or a document");
  return negated(valuePredicate(operand, compileFilter));
}

function moduloPredicate(operand: unknown): LeafPredicate {
  if (!Array.isArray(operand) || operand.length !== 2) badValue("malformed mod, needs to be an array of two numbers");
  const [divisor, remainder] = operand.map((part) => Math.trunc(toNumber(part)));
  if (divisor === undefined || divisor === 0) badValue("divisor cannot be 0");
  return anyValue((value) => isNumeric(value) && Math.trunc(toNumber(value)) % divisor === remainder);
}

function bitsPredicate(name: string, operand: unknown, test: (bits: bigint, mask: bigint) => boolean): LeafPredicate {
  const mask = bitMask(name, operand);
  return anyValue(
    (value) => isNumeric(value) && Number.isInteger(toNumber(value)) && test(BigInt(String(value)), mask),
  );
}

function bitMask(name: string, operand: unknown): bigint {
  if (Array.isArray(operand)) return operand.reduce<bigint>((mask, bit) => mask | (1n << BigInt(toNumber(bit))), 0n);
  if (isNumeric(operand) && Number.isInteger(toNumber(operand))) return BigInt(String(operand));
  throw new ServerError("FailedToParse", `${name} takes a number or an array of bit positions`);
}
