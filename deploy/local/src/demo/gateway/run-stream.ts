import { setTimeout as sleep } from "node:timers/promises";

import { EventSourceParserStream } from "eventsource-parser/stream";

import { messageOf } from "@antler/contracts";

import { SetupError } from "../../setup-error.ts";

/** One server-sent event of a run. */
export interface StreamFrame {
  readonly event: string;
  readonly data: unknown;
}

const retryMs = 500;
/** A gateway that restarts is back within seconds; one that stays away this long does not come back. */
const retries = 60;

/** Follows a run to its `end` frame. A broken connection is resumed after the last event that was seen. */
export async function* followRun(url: string, signal: AbortSignal): AsyncGenerator<StreamFrame> {
  const seen = { lastId: "", failures: 0 };
  for (;;) {
    try {
      for await (const { event, data, id } of openStream(url, seen.lastId, signal)) {
        seen.failures = 0;
        seen.lastId = id ?? seen.lastId;
        yield { event: event ?? "message", data: JSON.parse(data) as unknown };
        if (event === "end") return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (seen.failures >= retries) throw broken(error);
    }
    seen.failures += 1;
    await sleep(retryMs, undefined, { signal });
  }
}

async function* openStream(url: string, lastId: string, signal: AbortSignal) {
  const headers = { accept: "text/event-stream", ...(lastId !== "" && { "last-event-id": lastId }) };
  const response = await fetch(url, { headers, signal });
  if (!response.ok || response.body === null) {
    throw new Error(`status ${response.status}: ${(await response.text()).slice(0, 300)}`);
  }
  yield* response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

function broken(error: unknown): SetupError {
  return new SetupError(`The stream of the run broke and could not be resumed: ${messageOf(error)}`, { cause: error });
}
