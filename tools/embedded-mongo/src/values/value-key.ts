import type { Binary, ObjectId } from "bson";

import type { Document } from "./document.ts";
import type { BsonNumber } from "./numbers.ts";
import { compareNumbers, decimalParts, toNumber } from "./numbers.ts";
import { TYPE_RANK, typeRank, wrapperName } from "./type-order.ts";

/** A string that is the same for two values exactly when MongoDB holds them equal. */
export function valueKey(value: unknown): string {
  if (value === null || value === undefined) return "z";
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "number") return `n${String(value === 0 ? 0 : value)}`;
  if (typeof value === "boolean") return value ? "T" : "F";
  return objectKey(value);
}

function objectKey(value: object): string {
  switch (typeRank(value)) {
    case TYPE_RANK.date:
      return `d${String(Number(value))}`;
    case TYPE_RANK.number:
      return numberKey(value as BsonNumber);
    case TYPE_RANK.objectId:
      return `o${(value as ObjectId).toHexString()}`;
    case TYPE_RANK.binary:
      return binaryKey(value as Binary | Uint8Array);
    case TYPE_RANK.array:
      return `[${(value as readonly unknown[]).map(valueKey).join(",")}]`;
    case TYPE_RANK.document:
      return documentKey(value as Document);
    default:
      return `${String(typeRank(value))}:${JSON.stringify(value)}`;
  }
}

function numberKey(value: BsonNumber): string {
  const plain = toNumber(value);
  if (wrapperName(value) === "Double") return valueKey(plain);
  const parts = decimalParts(value);
  if (parts === undefined || compareNumbers(plain, value) === 0) return valueKey(plain);
  let { mantissa, exponent } = parts;
  while (mantissa !== 0n && mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent++;
  }
  return `n${String(mantissa)}e${String(exponent)}`;
}

function binaryKey(value: Binary | Uint8Array): string {
  if (value instanceof Uint8Array) return `b0${Buffer.from(value).toString("base64")}`;
  const bytes = Buffer.from(value.buffer.subarray(0, value.position));
  return `b${String(value.sub_type)}${bytes.toString("base64")}`;
}

function documentKey(value: Document): string {
  const fields = Object.keys(value).map((name) => `${JSON.stringify(name)}:${valueKey(value[name])}`);
  return `{${fields.join(",")}}`;
}
