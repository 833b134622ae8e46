/** MongoDB's sort order of types: values of a lower rank sort before all values of a higher one. */
export const TYPE_RANK = {
  minKey: -1,
  nullish: 1,
  number: 2,
  string: 3,
  document: 4,
  array: 5,
  binary: 6,
  objectId: 7,
  boolean: 8,
  date: 9,
  timestamp: 10,
  regularExpression: 11,
  maxKey: 127,
} as const;

const WRAPPER_RANKS: Readonly<Record<string, number>> = {
  Long: TYPE_RANK.number,
  Decimal128: TYPE_RANK.number,
  Int32: TYPE_RANK.number,
  Double: TYPE_RANK.number,
  Binary: TYPE_RANK.binary,
  ObjectId: TYPE_RANK.objectId,
  Timestamp: TYPE_RANK.timestamp,
  BSONRegExp: TYPE_RANK.regularExpression,
  BSONSymbol: TYPE_RANK.string,
  MinKey: TYPE_RANK.minKey,
  MaxKey: TYPE_RANK.maxKey,
};

const PRIMITIVE_RANKS: Readonly<Record<string, number>> = {
  number: TYPE_RANK.number,
  bigint: TYPE_RANK.number,
  string: TYPE_RANK.string,
  boolean: TYPE_RANK.boolean,
};

/** The name of the BSON wrapper class of a value, or undefined for a plain JavaScript value. */
export function wrapperName(value: unknown): string | undefined {
  if (value === null || typeof value !== "object" || !("_bsontype" in value)) return undefined;
  return typeof value._bsontype === "string" ? value._bsontype : undefined;
}

/** The rank of a value's type in MongoDB's sort order. */
export function typeRank(value: unknown): number {
  if (value === null) return TYPE_RANK.nullish;
  return typeof value === "object" ? objectRank(value) : (PRIMITIVE_RANKS[typeof value] ?? TYPE_RANK.nullish);
}

function objectRank(value: object): number {
  if (Array.isArray(value)) return TYPE_RANK.array;
  if (value instanceof Date) return TYPE_RANK.date;
  if (value instanceof RegExp) return TYPE_RANK.regularExpression;
  if (value instanceof Uint8Array) return TYPE_RANK.binary;
  const name = wrapperName(value);
  return name === undefined ? TYPE_RANK.document : (WRAPPER_RANKS[name] ?? TYPE_RANK.document);
}
