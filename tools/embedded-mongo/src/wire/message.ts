import { ServerError } from "../server-error.ts";
import { decodeDocument, encodeDocument, MAX_DOCUMENT_BYTES } from "../values/bson-codec.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";

/** A command as it came over the wire. */
export interface WireRequest {
  readonly requestId: number;
  readonly opcode: number;
  readonly command: Document;
  readonly database: string;
  /** Whether the client wants no reply. */
  readonly isSilent: boolean;
}

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const CHECKSUM_FLAG = 1;
const MORE_TO_COME_FLAG = 2;
const COMMAND_OVERHEAD_BYTES = 16 * 1024;

/** The request id of a message: it can be read even when the rest cannot. */
export function requestIdOf(message: Buffer): number {
  return message.readInt32LE(4);
}

/** The opcode of a message. */
export function opcodeOf(message: Buffer): number {
  return message.readInt32LE(12);
}

/** Tells whether the server speaks a message's protocol: OP_MSG, or OP_QUERY for the first handshake. */
export function isKnownOpcode(opcode: number): boolean {
  return opcode === OP_MSG || opcode === OP_QUERY;
}

/** Parses a whole message. Throws ServerError on one that is malformed or whose command is too large. */
export function parseMessage(message: Buffer): WireRequest {
  const base = { requestId: requestIdOf(message), opcode: opcodeOf(message) };
  if (base.opcode === OP_QUERY) return { ...base, ...parseQuery(message), isSilent: false };
  const flags = message.readUInt32LE(HEADER_BYTES);
  const end = (flags & CHECKSUM_FLAG) === 0 ? message.length : message.length - 4;
  const command = parseSections(message.subarray(0, end));
  return { ...base, command, database: String(command["$db"]), isSilent: (flags & MORE_TO_COME_FLAG) !== 0 };
}

function parseQuery(message: Buffer): Pick<WireRequest, "command" | "database"> {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  const database = message.toString("utf8", HEADER_BYTES + 4, nameEnd).split(".")[0] ?? "";
  const document = decodeDocument(message, nameEnd + 9);
  const wrapped = document["$query"];
  return { command: isDocument(wrapped) ? wrapped : document, database };
}

/** The command document with the document sequences as fields; the command's own fields come first. */
function parseSections(message: Buffer): Document {
  let command: Document = {};
  const sequences: Document = {};
  let at = HEADER_BYTES + 4;
  while (at < message.length) {
    const kind = message.readUInt8(at++);
    const length = message.readInt32LE(at);
    if (kind === 0) command = parseCommand(message, at, length);
    else addSequence(sequences, message.subarray(at, at + length));
    at += length;
  }
  return { ...command, ...sequences };
}

function parseCommand(message: Buffer, at: number, length: number): Document {
  if (length > MAX_DOCUMENT_BYTES + COMMAND_OVERHEAD_BYTES) {
    const limit = String(MAX_DOCUMENT_BYTES + COMMAND_OVERHEAD_BYTES);
    const message = `BSONObj size: ${String(length)} is invalid. Size must be between 0 and ${limit}`;
    throw new ServerError("BSONObjectTooLarge", message);
  }
  return decodeDocument(message, at);
}

function addSequence(sequences: Document, section: Buffer): void {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  let at = nameEnd + 1;
  while (at < section.length) {
    documents.push(decodeDocument(section, at));
    at += section.readInt32LE(at);
  }
  sequences[section.toString("utf8", 4, nameEnd)] = documents;
}

/** The head and the body of a reply to a request. */
export function encodeReply(requestId: number, opcode: number, reply: Document): readonly [Buffer, Uint8Array] {
  const body = encodeDocument(reply);
  const head = Buffer.alloc(opcode === OP_MSG ? HEADER_BYTES + 5 : HEADER_BYTES + 20);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(opcode === OP_MSG ? OP_MSG : OP_REPLY, 12);
  if (opcode !== OP_MSG) {
    head.writeInt32LE(8, HEADER_BYTES);
    head.writeInt32LE(1, HEADER_BYTES + 16);
  }
  return [head, body];
}
