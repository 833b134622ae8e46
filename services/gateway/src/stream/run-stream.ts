import { isAntlerError } from "@antler/contracts";
import type { Logger } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { EventAccess } from "../gateway-deps.ts";
import type { ClientStream } from "./client-stream.ts";
import { createMessageProjection, type MessageProjection } from "./message-projection.ts";
import { framesOf, metadataFrame } from "./project-event.ts";
import type { StreamView } from "./stream-view.ts";

export interface RunStreamOptions {
  readonly events: Pick<EventAccess, "follow" | "followLive">;
  readonly run: RunRow;
  readonly view: StreamView;
  /** The last event that the client has; 0 from the beginning. */
  readonly afterSeq: number;
  readonly client: ClientStream;
  /** Aborts when the gateway closes. */
  readonly closing: AbortSignal;
  readonly logger: Logger;
}

/**
 * Streams a run to one client until the run ends, the client leaves or stays slow, or the gateway closes.
 * It never throws; the stream is ended when it resolves.
 */
export async function streamRun(options: RunStreamOptions): Promise<void> {
  const { client, closing, run, logger } = options;
  const messages = createMessageProjection(options.view);
  client.write(metadataFrame({ run_id: run._id, thread_id: run.thread_id, attempt: Math.max(1, run.attempt) }));
  const live = followDeltas(options, messages);
  try {
    await sendEvents(options, messages);
  } catch (error) {
    if (closing.aborted || client.closed.aborted) return;
    logger.warn({ err: error, run_id: run._id }, "Reading the events of a run failed; its stream is closed");
    client.disconnect("source_failed", isAntlerError(error) ? error.message : "The events could not be read");
  } finally {
    live?.close();
    if (closing.aborted) client.disconnect("shutting_down", "The gateway is shutting down; resume on another replica");
    client.end();
  }
}

async function sendEvents(options: RunStreamOptions, messages: MessageProjection): Promise<void> {
  const { events, run, view, afterSeq, client, closing } = options;
  const signal = AbortSignal.any([client.closed, closing]);
  for await (const event of events.follow(run, { afterSeq, signal })) {
    client.write(...framesOf(event, view), ...messages.finished(event));
    if (!(await client.ready())) {
      client.disconnect(
        "slow_reader",
        "The client stopped reading, with more unread than streaming.client_buffer_bytes allows",
      );
      return;
    }
    if (event.type === "run.end" || signal.aborted) return;
  }
}

/**
 * Deltas are worth something only from a message's first one on: a client that joins a run under way gets each
 * message when it is finished.
 */
function followDeltas(options: RunStreamOptions, messages: MessageProjection): { close(): void } | undefined {
  const { events, run, view, afterSeq, client } = options;
  const wantsMessages = view.modes.has("messages") || view.modes.has("messages-tuple");
  if (!wantsMessages || afterSeq > 0 || run.attempt > 0) return undefined;
  return events.followLive(run._id, (signal) => client.write(...messages.delta(signal)));
}
