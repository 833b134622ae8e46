import { isAntlerError } from "@antler/contracts";
import type { Logger } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { EventAccess } from "../gateway-deps.ts";
import type { ClientStream } from "./client-stream.ts";
import type { LiveDeltas } from "./live-deltas.ts";
import { createMessageProjection, type MessageProjection } from "./message-projection.ts";
import { endFrames, framesOf, metadataFrame } from "./project-event.ts";
import type { StreamView } from "./stream-view.ts";

export interface RunStreamOptions {
  readonly events: Pick<EventAccess, "follow">;
  readonly run: RunRow;
  readonly currentRun: () => Promise<RunRow | undefined>;
  readonly deltas: LiveDeltas | undefined;
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
  options.deltas?.attach((signal) => {
    if (client.isBehind) messages.skip(signal);
    else client.write(...messages.delta(signal));
  });
  try {
    await sendEvents(options, messages);
  } catch (error) {
    if (closing.aborted || client.closed.aborted) return;
    logger.warn({ err: error, run_id: run._id }, "Reading the events of a run failed; its stream is closed");
    client.disconnect("source_failed", isAntlerError(error) ? error.message : "The events could not be read");
  } finally {
    options.deltas?.close();
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
      dropSlowReader(options);
      return;
    }
    if (event.type === "run.end" || signal.aborted) return;
  }
  if (!signal.aborted) await sendEnd(options);
}

const SLOW_READER = "The client stopped reading, with more unread than streaming.client_buffer_bytes allows";

function dropSlowReader({ client, run, logger }: RunStreamOptions): void {
  logger.warn(
    { run_id: run._id, last_event_id: client.lastId, reason: "slow_reader" },
    `Stream closed: ${SLOW_READER}`,
  );
  client.disconnect("slow_reader", SLOW_READER);
}

/** The log has no end beyond the client's last id, but the run may have ended: that is told all the same. */
async function sendEnd({ client, currentRun }: RunStreamOptions): Promise<void> {
  const run = await currentRun();
  if (run !== undefined) client.write(...endFrames(run));
}
