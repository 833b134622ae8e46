import { Decimal128, Double, Long } from "bson";

import type { BsonNumber } from "./numbers.ts";
import { alignDecimals, decimalParts, toNumber } from "./numbers.ts";
import { isInt32, typeName } from "./type-name.ts";

/** Adds two BSON numbers; the result has the wider of the two kinds, and an int32 that overflows becomes a long. */
export function addNumbers(left: BsonNumber, right: BsonNumber): BsonNumber {
  switch (widerKind(left, right)) {
    case "decimal":
      return addDecimals(left, right);
    case "double":
      return asDouble(toNumber(left) + toNumber(right));
    case "long":
      return asLong(left).add(asLong(right));
    default:
      return asInteger(toNumber(left) + toNumber(right));
  }
}

/** Multiplies two BSON numbers, with the kinds of `addNumbers`. */
export function multiplyNumbers(left: BsonNumber, right: BsonNumber): BsonNumber {
  switch (widerKind(left, right)) {
    case "decimal":
      return multiplyDecimals(left, right);
    case "double":
      return asDouble(toNumber(left) * toNumber(right));
    case "long":
      return asLong(left).mul(asLong(right));
    default:
      return multiplyIntegers(toNumber(left), toNumber(right));
  }
}

/** The zero of a number's kind. */
export function zeroLike(value: BsonNumber): BsonNumber {
  switch (typeName(value)) {
    case "decimal":
      return Decimal128.fromString("0");
    case "double":
      return new Double(0);
    case "long":
      return Long.ZERO;
    default:
      return 0;
  }
}

const KIND_ORDER = ["decimal", "double", "long", "int"] as const;

function widerKind(left: BsonNumber, right: BsonNumber): string {
  const kinds = new Set([typeName(left), typeName(right)]);
  return KIND_ORDER.find((kind) => kinds.has(kind)) ?? "int";
}

const asLong = (value: BsonNumber): Long => (Long.isLong(value) ? value : Long.fromNumber(toNumber(value)));

const asDouble = (value: number): number | Double => (isInt32(value) ? new Double(value) : value);

const asInteger = (value: number): number | Long =>
  isInt32(value) || value === 0 ? value + 0 : Long.fromNumber(value);

function multiplyIntegers(left: number, right: number): BsonNumber {
  const product = left * right;
  return isInt32(product) || product === 0 ? product + 0 : Long.fromNumber(left).mul(Long.fromNumber(right));
}

function addDecimals(left: BsonNumber, right: BsonNumber): Decimal128 {
  const leftParts = decimalParts(left);
  const rightParts = decimalParts(right);
  if (leftParts === undefined || rightParts === undefined) return inexact(toNumber(left) + toNumber(right));
  const [leftMantissa, rightMantissa, exponent] = alignDecimals(leftParts, rightParts);
  return Decimal128.fromString(`${String(leftMantissa + rightMantissa)}E${String(exponent)}`);
}

function multiplyDecimals(left: BsonNumber, right: BsonNumber): Decimal128 {
  const leftParts = decimalParts(left);
  const rightParts = decimalParts(right);
  if (leftParts === undefined || rightParts === undefined) return inexact(toNumber(left) * toNumber(right));
  const exponent = leftParts.exponent + rightParts.exponent;
  return Decimal128.fromString(`${String(leftParts.mantissa * rightParts.mantissa)}E${String(exponent)}`);
}

const inexact = (value: number): Decimal128 => Decimal128.fromString(String(value));
