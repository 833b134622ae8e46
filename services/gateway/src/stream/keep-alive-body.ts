import type { ServerResponse } from "node:http";

import { onceClosed } from "./once-closed.ts";

/** A JSON body that takes long: white space, which JSON allows before a value, keeps the connection alive. */
export interface KeepAliveBody {
  /** Aborts when the response is closed, by whichever side; aborted already for a client that left before. */
  readonly closed: AbortSignal;
  readonly isClosedByClient: boolean;
  finish(value: unknown): void;
}

export function openKeepAliveBody(
  response: ServerResponse,
  { headers, heartbeatMs }: { headers: Readonly<Record<string, string>>; heartbeatMs: number },
): KeepAliveBody {
  const closed = new AbortController();
  let isFinished = false;
  let isClosedByClient = false;
  response.writeHead(200, { ...headers, "content-type": "application/json; charset=utf-8" });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write("\n"), heartbeatMs);
  response.on("error", () => response.destroy());
  onceClosed(response, () => {
    clearInterval(heartbeat);
    isClosedByClient = !isFinished;
    closed.abort();
  });

  return {
    closed: closed.signal,
    get isClosedByClient() {
      return isClosedByClient;
    },
    finish(value) {
      isFinished = true;
      clearInterval(heartbeat);
      if (!response.destroyed) response.end(JSON.stringify(value));
    },
  };
}
