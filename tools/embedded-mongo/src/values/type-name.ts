import { badValue } from "../server-error.ts";
import { isDocument } from "./document.ts";
import { toNumber } from "./numbers.ts";
import { TYPE_RANK, typeRank, wrapperName } from "./type-order.ts";

const TYPE_NUMBERS: Readonly<Record<string, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
};

const RANK_NAMES: Readonly<Record<number, string>> = {
  [TYPE_RANK.string]: "string",
  [TYPE_RANK.document]: "object",
  [TYPE_RANK.array]: "array",
  [TYPE_RANK.binary]: "binData",
  [TYPE_RANK.objectId]: "objectId",
  [TYPE_RANK.boolean]: "bool",
  [TYPE_RANK.date]: "date",
  [TYPE_RANK.timestamp]: "timestamp",
  [TYPE_RANK.regularExpression]: "regex",
  [TYPE_RANK.minKey]: "minKey",
  [TYPE_RANK.maxKey]: "maxKey",
};

const WRAPPED_NUMBER_NAMES: Readonly<Record<string, string>> = {
  Long: "long",
  Decimal128: "decimal",
  Double: "double",
  Int32: "int",
};

/** Tells whether a plain number is stored as an int32: whole, and within the range. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** MongoDB's alias of a value's type, such as `int` or `objectId`; a missing value is `undefined`. */
export function typeName(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (typeof value === "number") return isInt32(value) ? "int" : "double";
  const wrapped = WRAPPED_NUMBER_NAMES[wrapperName(value) ?? ""];
  if (wrapped !== undefined) return wrapped;
  return isDocument(value) ? "object" : (RANK_NAMES[typeRank(value)] ?? "object");
}

/** Tells whether a value is of a type, named by alias or number, or of one of a list of types. */
export function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  const alias = typeof type === "string" ? type : aliasOf(toNumber(type));
  if (alias === "number") return typeRank(value) === TYPE_RANK.number;
  if (!(alias in TYPE_NUMBERS) && alias !== "minKey" && alias !== "maxKey")
    badValue(`Unknown type name alias: ${alias}`);
  return value !== undefined && typeName(value) === alias;
}

function aliasOf(code: number): string {
  if (code === -1) return "minKey";
  if (code === 127) return "maxKey";
  return Object.keys(TYPE_NUMBERS).find((name) => TYPE_NUMBERS[name] === code) ?? String(code);
}
