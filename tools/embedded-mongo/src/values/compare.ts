import type { ObjectId, Timestamp } from "bson";
import { Binary } from "bson";

import type { Document } from "./document.ts";
import type { BsonNumber } from "./numbers.ts";
import { compareNumbers } from "./numbers.ts";
import { patternOf } from "./regular-expression.ts";
import { TYPE_RANK, typeRank } from "./type-order.ts";

/** Compares two values in MongoDB's sort order, across types; a missing value (undefined) equals null. */
export function compareValues(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  const leftRank = typeRank(left);
  const rightRank = typeRank(right);
  if (leftRank !== rightRank) return leftRank < rightRank ? -1 : 1;
  return compareSameRank(left, right, leftRank);
}

/** Tells whether two values are equal in MongoDB's sense: 5 equals a Double 5, field order counts. */
export function equalValues(left: unknown, right: unknown): boolean {
  return compareValues(left, right) === 0;
}

/** Tells whether two documents are the same to the last type: unlike `equalValues`, an int 5 differs from a double 5. */
export function identicalValues(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const names = Object.keys(left);
  const isContainer = typeRank(left) === TYPE_RANK.document || Array.isArray(left);
  if (!isContainer) return wrapperOf(left) === wrapperOf(right) && equalValues(left, right);
  const rightNames = Object.keys(right);
  if (typeRank(left) !== typeRank(right) || names.length !== rightNames.length) return false;
  return names.every((name, at) => name === rightNames[at] && identicalValues(field(left, name), field(right, name)));
}

const wrapperOf = (value: object): unknown => Reflect.get(value, "_bsontype");
const field = (value: object, name: string): unknown => Reflect.get(value, name);

const compareText = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

function compareSameRank(left: unknown, right: unknown, rank: number): number {
  switch (rank) {
    case TYPE_RANK.number:
      return compareNumbers(left as BsonNumber, right as BsonNumber);
    case TYPE_RANK.string:
      return compareText(String(left), String(right));
    case TYPE_RANK.document:
      return compareDocuments(left as Document, right as Document);
    case TYPE_RANK.array:
      return compareArrays(left as readonly unknown[], right as readonly unknown[]);
    case TYPE_RANK.binary:
      return compareBinaries(left as Binary | Uint8Array, right as Binary | Uint8Array);
    case TYPE_RANK.objectId:
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    case TYPE_RANK.boolean:
      return Number(left) - Number(right);
    case TYPE_RANK.date:
      return Math.sign(Number(left) - Number(right));
    case TYPE_RANK.timestamp:
      return (left as Timestamp).comp(right as Timestamp);
    case TYPE_RANK.regularExpression:
      return comparePatterns(left, right);
    default:
      return 0;
  }
}

function compareDocuments(left: Document, right: Document): number {
  const leftNames = Object.keys(left);
  const rightNames = Object.keys(right);
  const shared = Math.min(leftNames.length, rightNames.length);
  for (let at = 0; at < shared; at++) {
    const result = compareFields(left, leftNames[at] ?? "", right, rightNames[at] ?? "");
    if (result !== 0) return result;
  }
  return Math.sign(leftNames.length - rightNames.length);
}

function compareFields(left: Document, leftName: string, right: Document, rightName: string): number {
  const rank = typeRank(left[leftName]) - typeRank(right[rightName]);
  return Math.sign(rank) || compareText(leftName, rightName) || compareValues(left[leftName], right[rightName]);
}

function compareArrays(left: readonly unknown[], right: readonly unknown[]): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const result = compareValues(left[at], right[at]);
    if (result !== 0) return result;
  }
  return Math.sign(left.length - right.length);
}

function compareBinaries(left: Binary | Uint8Array, right: Binary | Uint8Array): number {
  const first = left instanceof Uint8Array ? new Binary(left) : left;
  const second = right instanceof Uint8Array ? new Binary(right) : right;
  const size = Math.sign(first.position - second.position) || Math.sign(first.sub_type - second.sub_type);
  return size || Buffer.compare(bytesOf(first), bytesOf(second));
}

const bytesOf = (value: Binary): Uint8Array => value.buffer.subarray(0, value.position);

function comparePatterns(left: unknown, right: unknown): number {
  const first = patternOf(left);
  const second = patternOf(right);
  return compareText(first.source, second.source) || compareText(first.flags, second.flags);
}
