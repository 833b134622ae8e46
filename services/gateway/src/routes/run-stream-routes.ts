import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { CreateRunBody, StreamMode } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { cancelAbandoned } from "../cancel-abandoned.ts";
import { createRun } from "../create-run.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectRun } from "../http/lookups.ts";
import { newRunPaths, runUrl, ThreadRunPath } from "../http/paths.ts";
import { preparedBody } from "../http/prepared-body.ts";
import { longResponseHeaders } from "../http/response-headers.ts";
import { CreateRunHeaders } from "../idempotency.ts";
import { streamModesOf } from "../run-request.ts";
import { openClientStream } from "../stream/client-stream.ts";
import { type LiveDeltas, openLiveDeltas } from "../stream/live-deltas.ts";
import type { OpenResponses } from "../stream/open-responses.ts";
import { resumePoint } from "../stream/resume-point.ts";
import { streamRun } from "../stream/run-stream.ts";
import { supportedRunBody } from "../unsupported-options.ts";

type StreamDeps = Pick<GatewayDeps, "config" | "logger" | "threads" | "runs" | "events" | "readState"> & {
  readonly open: OpenResponses;
};

/** How long a client with a full buffer may take nothing, and how long the last frames of a closing stream may take. */
const CLIENT_GRACE_MS = 5000;

const StreamQuery = z.object({
  stream_mode: z.union([StreamMode, z.array(StreamMode).min(1)]).optional(),
  since: z.coerce.number().int().min(0).optional(),
  cancel_on_disconnect: z.stringbool().default(false),
});

export function runStreamRoutes(app: GatewayApp, deps: StreamDeps): void {
  for (const { path, params } of newRunPaths("/stream")) {
    app.post(
      path,
      {
        schema: { params, headers: CreateRunHeaders, body: CreateRunBody, tags: ["streams"] },
        preValidation: preparedBody(supportedRunBody),
      },
      async ({ params: { thread_id: threadId }, headers, body, trace }, reply) => {
        const idempotencyKey = headers["idempotency-key"];
        const runId = newId();
        const deltas = openLiveDeltas(deps.events, runId, streamModesOf(body.stream_mode));
        try {
          const run = await createRun(deps, { runId, threadId, body, trace, idempotencyKey, reply });
          const ownDeltas = run._id === runId ? deltas : undefined;
          await serve(deps, { run, reply, afterSeq: 0, cancels: run.on_disconnect === "cancel", deltas: ownDeltas });
        } finally {
          deltas?.close();
        }
      },
    );
  }

  app.get(
    "/threads/:thread_id/runs/:run_id/stream",
    { schema: { params: ThreadRunPath, querystring: StreamQuery, tags: ["streams"] } },
    async (request, reply) => {
      const { params, query } = request;
      const afterSeq = resumePoint(lastEventId(request), query.since);
      const { stream_modes } = await expectRun(deps, params);
      const modes = query.stream_mode === undefined ? stream_modes : streamModesOf(query.stream_mode);
      const deltas = openLiveDeltas(deps.events, params.run_id, modes);
      try {
        const run = await expectRun(deps, params);
        const isFromBeginning = run.attempt === 0 && afterSeq === 0;
        const cancels = query.cancel_on_disconnect;
        await serve(deps, { run, reply, afterSeq, cancels, modes, deltas: isFromBeginning ? deltas : undefined });
      } finally {
        deltas?.close();
      }
    },
  );
}

interface Serving {
  readonly run: RunRow;
  readonly reply: FastifyReply;
  readonly afterSeq: number;
  /** Whether the run is cancelled when this client leaves before its end. */
  readonly cancels: boolean;
  readonly modes?: readonly StreamMode[];
  /** For a client that is there before the run begins. */
  readonly deltas: LiveDeltas | undefined;
}

async function serve(deps: StreamDeps, serving: Serving): Promise<void> {
  const { config, logger, events, runs, open } = deps;
  const { run, reply, afterSeq, cancels, modes = run.stream_modes, deltas } = serving;
  reply.hijack();
  const client = openClientStream({
    response: reply.raw,
    headers: { ...longResponseHeaders(reply), ...streamHeaders(run, modes) },
    heartbeatMs: config.streaming.heartbeat_seconds * 1000,
    bufferBytes: config.streaming.client_buffer_bytes,
    graceMs: CLIENT_GRACE_MS,
  });
  const leave = open.enter();
  const view = { modes: new Set(modes), subgraphs: run.stream_subgraphs };
  const currentRun = () => runs.get(run._id);
  await streamRun({ events, run, currentRun, deltas, view, afterSeq, client, closing: open.closing, logger });
  leave();
  if (cancels && client.isClosedByClient) await cancelAbandoned(deps, run);
}

/** `Location` is where clients reconnect by themselves. */
function streamHeaders(run: RunRow, modes: readonly StreamMode[]): Record<string, string> {
  const query = new URLSearchParams(modes.map((mode): [string, string] => ["stream_mode", mode]));
  return {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "content-location": runUrl(run),
    location: `${runUrl(run)}/stream?${query.toString()}`,
  };
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const value = headers["last-event-id"];
  return Array.isArray(value) ? value[0] : value;
}
