import type { Socket } from "node:net";

import type { Dispatcher } from "../commands/dispatcher.ts";
import { MAX_MESSAGE_BYTES } from "../commands/handshake-commands.ts";
import { isServerError, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { encodeReply, isKnownOpcode, opcodeOf, parseMessage, requestIdOf } from "./message.ts";
import { createMessageStream } from "./message-stream.ts";

/** Serves one client: its messages are answered one after the other. */
export function serveConnection(socket: Socket, dispatch: Dispatcher): void {
  const stream = createMessageStream(MAX_MESSAGE_BYTES);
  let last: Promise<void> = Promise.resolve();
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    try {
      for (const message of stream.push(chunk)) last = last.then(() => answer(socket, message, dispatch));
    } catch {
      socket.destroy();
    }
  });
}

async function answer(socket: Socket, message: Buffer, dispatch: Dispatcher): Promise<void> {
  const opcode = opcodeOf(message);
  if (!isKnownOpcode(opcode)) {
    socket.destroy();
    return;
  }
  const reply = await replyTo(message, dispatch);
  if (reply === undefined || socket.destroyed) return;
  const [head, body] = encodeOrRefuse(message, opcode, reply);
  socket.cork();
  socket.write(head);
  socket.write(body);
  socket.uncork();
}

/** The encoded reply; one that cannot be encoded, such as a result that is too large, becomes an error. */
function encodeOrRefuse(message: Buffer, opcode: number, reply: Document): ReturnType<typeof encodeReply> {
  try {
    return encodeReply(requestIdOf(message), opcode, reply);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const refusal = new ServerError("BSONObjectTooLarge", `The reply cannot be encoded: ${reason}`);
    return encodeReply(requestIdOf(message), opcode, errorReply(refusal));
  }
}

/** The reply, or undefined when the client wants none. Never rejects: a fault becomes a reply too. */
async function replyTo(message: Buffer, dispatch: Dispatcher): Promise<Document | undefined> {
  let isSilent = false;
  try {
    const request = parseMessage(message);
    isSilent = request.isSilent;
    const reply = await dispatch(request.command, request.database);
    return isSilent ? undefined : reply;
  } catch (error) {
    return isSilent ? undefined : errorReply(asServerError(error));
  }
}

function asServerError(error: unknown): ServerError {
  if (isServerError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServerError(error instanceof RangeError ? "InvalidBSON" : "UnknownError", message);
}

function errorReply(error: ServerError): Document {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra };
}
