import type { Decimal128, Double, Int32, Long } from "bson";

import { TYPE_RANK, typeRank, wrapperName } from "./type-order.ts";

/** A BSON number: a plain one is an int32 when it is a whole number of that range, else a double. */
export type BsonNumber = number | Long | Decimal128 | Double | Int32;

/** An exact decimal number: `mantissa` times ten to the power of `exponent`. */
export interface DecimalParts {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const DECIMAL_PATTERN = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Tells whether a value is a BSON number of any kind. */
export function isNumeric(value: unknown): value is BsonNumber {
  return typeRank(value) === TYPE_RANK.number;
}

/** A BSON number as a JavaScript number, possibly rounded; anything else becomes what `Number` makes of it. */
export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return wrapperName(value) === "Decimal128" ? Number(String(value)) : Number(value);
}

/** The exact parts of a finite number, or undefined for NaN and the infinities. */
export function decimalParts(value: BsonNumber): DecimalParts | undefined {
  const match = DECIMAL_PATTERN.exec(String(value));
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  return { mantissa: BigInt(sign + whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Writes two exact numbers with one exponent, so that their mantissas compare and add. */
export function alignDecimals(left: DecimalParts, right: DecimalParts): readonly [bigint, bigint, number] {
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (parts: DecimalParts): bigint => parts.mantissa * 10n ** BigInt(parts.exponent - exponent);
  return [scaled(left), scaled(right), exponent];
}

/** Compares two BSON numbers of any kinds by exact value; NaN sorts before every other number. */
export function compareNumbers(left: BsonNumber, right: BsonNumber): number {
  if (typeof left === "number" && typeof right === "number") return comparePlain(left, right);
  if (wrapperName(left) === "Double") return compareNumbers(toNumber(left), right);
  if (wrapperName(right) === "Double") return compareNumbers(left, toNumber(right));
  const leftParts = decimalParts(left);
  const rightParts = decimalParts(right);
  if (leftParts === undefined || rightParts === undefined) return comparePlain(toNumber(left), toNumber(right));
  const [leftMantissa, rightMantissa] = alignDecimals(leftParts, rightParts);
  return leftMantissa < rightMantissa ? -1 : Number(leftMantissa > rightMantissa);
}

function comparePlain(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** A whole-number option such as a limit: the number, or `fallback` when the field is missing. */
export function toCount(value: unknown, fallback: number): number {
  return value === undefined || value === null ? fallback : Math.trunc(toNumber(value));
}
