import { once } from "node:events";
import { connect } from "node:net";

import { decodeDocument, encodeDocument } from "../src/values/bson-codec.ts";
import type { Document } from "../src/values/document.ts";

const OP_MSG = 2013;
const HEADER_BYTES = 21;

/** Sends one command as it is, without what a driver adds, and returns the reply; the reply must be a short one. */
export async function sendRaw(port: number, command: Document): Promise<Document> {
  const body = encodeDocument(command);
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeInt32LE(HEADER_BYTES + body.length, 0);
  head.writeInt32LE(OP_MSG, 12);
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.concat([head, body]));
  const [reply] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return decodeDocument(reply, HEADER_BYTES);
}
