import type { ServerResponse } from "node:http";

import { onceClosed } from "./once-closed.ts";
import { createOutgoingBuffer } from "./outgoing-buffer.ts";
import { encodeFrame, type Frame, HEARTBEAT_COMMENT } from "./sse-frame.ts";

/** Why a stream closed before its run ended. */
export type DisconnectReason = "slow_reader" | "shutting_down" | "source_failed";

export interface ClientStreamOptions {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly heartbeatMs: number;
  /** Unread bytes beyond which the client counts as slow. */
  readonly bufferBytes: number;
  /** How long a client that is beyond `bufferBytes` may take nothing, and how long its last frames may take. */
  readonly graceMs: number;
}

/** The server's end of one event stream. Nothing here throws: a client that is gone just takes no more frames. */
export interface ClientStream {
  /** Aborts when the response is closed, by whichever side; aborted already for a client that left before. */
  readonly closed: AbortSignal;
  readonly isClosedByClient: boolean;
  readonly lastId: number | undefined;
  /** Whether more is unread than `bufferBytes`. */
  readonly isBehind: boolean;
  write(...frames: readonly Frame[]): void;
  /** Waits while too much is unread; resolves with false when the client has stopped reading. */
  ready(): Promise<boolean>;
  /** Sends an id-less `disconnect` frame with the reason, then ends: the client resumes after its last id. */
  disconnect(reason: DisconnectReason, message: string): void;
  end(): void;
}

export function openClientStream(options: ClientStreamOptions): ClientStream {
  const { response, headers, heartbeatMs, bufferBytes, graceMs } = options;
  const closed = new AbortController();
  const buffer = createOutgoingBuffer(response);
  let lastId: number | undefined;
  let isEnding = false;
  let isClosedByClient = false;

  response.writeHead(200, headers);
  response.flushHeaders();
  const heartbeat = setInterval(() => buffer.unreadBytes === 0 && buffer.write(HEARTBEAT_COMMENT), heartbeatMs);
  response.on("error", () => response.destroy());
  onceClosed(response, () => {
    clearInterval(heartbeat);
    isClosedByClient = !isEnding;
    closed.abort();
  });

  const send = (frame: Frame) => {
    buffer.write(encodeFrame(frame));
    lastId = frame.id ?? lastId;
  };

  const end = () => {
    if (isEnding) return;
    isEnding = true;
    clearInterval(heartbeat);
    const timer = setTimeout(() => response.destroy(), graceMs);
    onceClosed(response, () => clearTimeout(timer));
    buffer.end();
  };

  return {
    closed: closed.signal,
    get isClosedByClient() {
      return isClosedByClient;
    },
    get isBehind() {
      return buffer.unreadBytes > bufferBytes;
    },
    get lastId() {
      return lastId;
    },
    write: (...frames) => {
      if (!isEnding) frames.forEach(send);
    },
    ready: () => buffer.settled(bufferBytes, graceMs),
    disconnect(code, message) {
      if (isEnding) return;
      send({ event: "disconnect", data: { code, message, last_event_id: lastId ?? null } });
      end();
    },
    end,
  };
}
