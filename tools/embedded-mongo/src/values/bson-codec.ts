import { Binary, BSONRegExp, Decimal128, deserialize, Double, Long, ObjectId, serialize, Timestamp } from "bson";

import { ServerError } from "../server-error.ts";
import type { Document } from "./document.ts";
import { setField } from "./document.ts";
import { isInt32 } from "./type-name.ts";

/** The largest document that MongoDB stores, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const SERIALIZE_OPTIONS = { ignoreUndefined: true, checkKeys: false } as const;
const RARE_VALUE_OPTIONS = { promoteLongs: false, bsonRegExp: true } as const;

interface Reader {
  readonly buffer: Buffer;
  at: number;
}

/** The BSON bytes of a document. */
export function encodeDocument(document: Document): Uint8Array {
  return serialize(document, SERIALIZE_OPTIONS);
}

/** The BSON bytes of a document to be stored. Throws BSONObjectTooLarge (10334) above 16 MiB. */
export function encodeStored(document: Document): Uint8Array {
  const bytes = encodeDocument(document);
  if (bytes.length <= MAX_DOCUMENT_BYTES) return bytes;
  const sizes = `size in bytes: ${String(bytes.length)}, max size: ${String(MAX_DOCUMENT_BYTES)}`;
  throw new ServerError("BSONObjectTooLarge", `Document is too large. ${sizes}`);
}

/**
 * Decodes the document that starts at `start`. A plain number is an int32 when it is a whole number of that range,
 * else a double; a double that looks like an int32 becomes a `Double`, so that encoding gives back the same bytes.
 */
export function decodeDocument(buffer: Buffer, start = 0): Document {
  const end = start + buffer.readInt32LE(start);
  if (end > buffer.length || end < start + 5) throw new ServerError("InvalidBSON", "Document size is not valid");
  return readDocument({ buffer, at: start });
}

function readDocument(reader: Reader): Document {
  const document: Document = {};
  reader.at += 4;
  for (let type = nextByte(reader); type !== 0; type = nextByte(reader)) {
    const name = readName(reader);
    setField(document, name, readValue(reader, type));
  }
  return document;
}

function readArray(reader: Reader): unknown[] {
  const array: unknown[] = [];
  reader.at += 4;
  for (let type = nextByte(reader); type !== 0; type = nextByte(reader)) {
    skipName(reader);
    array.push(readValue(reader, type));
  }
  return array;
}

function nextByte(reader: Reader): number {
  return reader.buffer.readUInt8(reader.at++);
}

function skipName(reader: Reader): void {
  reader.at = reader.buffer.indexOf(0, reader.at) + 1;
}

function readName(reader: Reader): string {
  const start = reader.at;
  const end = reader.buffer.indexOf(0, start);
  if (end < 0) throw new ServerError("InvalidBSON", "A field name is not terminated");
  reader.at = end + 1;
  return reader.buffer.toString("utf8", start, end);
}

function readValue(reader: Reader, type: number): unknown {
  switch (type) {
    case 0x01:
      return readDouble(reader);
    case 0x02:
      return readString(reader);
    case 0x03:
      return readDocument(reader);
    case 0x04:
      return readArray(reader);
    case 0x08:
      return nextByte(reader) === 1;
    case 0x0a:
      return null;
    case 0x10:
      return readInt32(reader);
    default:
      return readWrapper(reader, type);
  }
}

function readWrapper(reader: Reader, type: number): unknown {
  switch (type) {
    case 0x05:
      return readBinary(reader);
    case 0x06:
      return undefined;
    case 0x07:
      return new ObjectId(takeBytes(reader, 12));
    case 0x09:
      return new Date(Number(readInt64(reader)));
    case 0x0b:
      return new BSONRegExp(readName(reader), readName(reader));
    case 0x11:
      return new Timestamp(Long.fromBigInt(readInt64(reader)));
    case 0x12:
      return Long.fromBigInt(readInt64(reader));
    case 0x13:
      return new Decimal128(takeBytes(reader, 16));
    default:
      return readRareValue(reader, type);
  }
}

function readInt32(reader: Reader): number {
  const value = reader.buffer.readInt32LE(reader.at);
  reader.at += 4;
  return value;
}

function readInt64(reader: Reader): bigint {
  const value = reader.buffer.readBigInt64LE(reader.at);
  reader.at += 8;
  return value;
}

function readDouble(reader: Reader): number | Double {
  const value = reader.buffer.readDoubleLE(reader.at);
  reader.at += 8;
  return isInt32(value) ? new Double(value) : value;
}

function readString(reader: Reader): string {
  const length = readInt32(reader);
  const start = reader.at;
  if (length < 1 || start + length > reader.buffer.length) throw new ServerError("InvalidBSON", "A string is cut off");
  reader.at = start + length;
  return reader.buffer.toString("utf8", start, start + length - 1);
}

function takeBytes(reader: Reader, length: number): Uint8Array {
  if (length < 0 || reader.at + length > reader.buffer.length)
    throw new ServerError("InvalidBSON", "A value is cut off");
  const bytes = Buffer.from(reader.buffer.subarray(reader.at, reader.at + length));
  reader.at += length;
  return bytes;
}

function readBinary(reader: Reader): Binary {
  const length = readInt32(reader);
  const subType = nextByte(reader);
  return new Binary(takeBytes(reader, length), subType);
}

/** The deprecated and seldom used types, by the library's own decoder: a document of this one element. */
function readRareValue(reader: Reader, type: number): unknown {
  const start = reader.at;
  reader.at += rareValueLength(reader, type);
  const value = reader.buffer.subarray(start, reader.at);
  const head = Buffer.alloc(7);
  head.writeInt32LE(value.length + 8, 0);
  head.writeUInt8(type, 4);
  head.write("v", 5);
  const element = Buffer.concat([head, value, Buffer.alloc(1)]);
  return deserialize(element, RARE_VALUE_OPTIONS)["v"] as unknown;
}

function rareValueLength(reader: Reader, type: number): number {
  switch (type) {
    case 0x0c:
      return 4 + reader.buffer.readInt32LE(reader.at) + 12;
    case 0x0d:
    case 0x0e:
      return 4 + reader.buffer.readInt32LE(reader.at);
    case 0x0f:
      return reader.buffer.readInt32LE(reader.at);
    case 0x7f:
    case 0xff:
      return 0;
    default:
      throw new ServerError("InvalidBSON", `Unknown BSON type ${String(type)}`);
  }
}
