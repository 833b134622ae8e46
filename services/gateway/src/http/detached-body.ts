import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";

/** How long the rest of a body that nobody wants is read, so that the client comes to read the answer. */
const DISCARD_MS = 10_000;

/**
 * The body as a stream that may be destroyed without the connection, over which the answer still has to go. What its
 * reader leaves is read and thrown away for a while. A body that breaks off is an error of the stream.
 */
export function detachedBody(request: IncomingMessage): Readable {
  const body = new PassThrough();
  request.once("error", (error) => body.destroy(error));
  request.once("close", () => {
    if (!request.complete) body.destroy(new Error("The connection was closed before the end of the body"));
  });
  body.once("close", () => {
    request.unpipe(body);
    discardRest(request);
  });
  return request.pipe(body);
}

/** Reads on without an aim; a client that goes on sending for long is cut off. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), DISCARD_MS);
  const done = () => clearTimeout(timer);
  request.once("end", done).once("close", done);
  request.resume();
}
