import { crc32 } from "node:zlib";

import { decodeDocument, encodeDocument } from "../values/bson-codec.ts";
import type { Document } from "../values/document.ts";
import type { Operation } from "./operation.ts";

/** The bytes before a record's payload: its length and its CRC-32. */
export const RECORD_HEADER_BYTES = 8;

/**
 * The bytes of one log record: operations that take effect together or not at all. An operation is a BSON document;
 * that of a `put` is followed by the stored document, so that a document is encoded once.
 */
export function encodeRecord(operations: readonly Operation[]): Buffer {
  const payload = Buffer.concat(operations.flatMap(operationParts));
  const header = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt32LE(crc32(payload), 4);
  return Buffer.concat([header, payload]);
}

function operationParts(operation: Operation): Uint8Array[] {
  if (operation.op !== "put") return [encodeDocument({ ...operation })];
  return [encodeDocument({ op: "put", ns: operation.ns }), operation.bytes];
}

/** Tells whether a payload is what its header promised. */
export function isIntact(payload: Buffer, header: Buffer): boolean {
  return crc32(payload) === header.readUInt32LE(4);
}

/** The operations of a record's payload. */
export function decodeRecord(payload: Buffer): Operation[] {
  const operations: Operation[] = [];
  let at = 0;
  while (at < payload.length) {
    const header = decodeDocument(payload, at);
    at += payload.readInt32LE(at);
    if (header["op"] !== "put") {
      operations.push(header as unknown as Operation);
      continue;
    }
    const size = payload.readInt32LE(at);
    operations.push(putOperation(String(header["ns"]), decodeDocument(payload, at), payload.subarray(at, at + size)));
    at += size;
  }
  return operations;
}

function putOperation(ns: string, document: Document, bytes: Uint8Array): Operation {
  return { op: "put", ns, document, bytes };
}
