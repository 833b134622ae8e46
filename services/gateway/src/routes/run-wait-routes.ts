import type { FastifyReply } from "fastify";
import { z } from "zod";

import { AntlerError, CreateRunBody, isRunTerminal, problemOf, traceIdOf } from "@antler/contracts";
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
import { type KeepAliveBody, openKeepAliveBody } from "../stream/keep-alive-body.ts";
import type { OpenResponses } from "../stream/open-responses.ts";
import { supportedRunBody } from "../unsupported-options.ts";
import { answerOf, failureOf } from "../views/run-answer.ts";

type WaitDeps = Pick<GatewayDeps, "config" | "logger" | "threads" | "runs" | "readState"> & {
  readonly open: OpenResponses;
};

const JoinQuery = z.object({ cancel_on_disconnect: z.stringbool().default(false) });

export function runWaitRoutes(app: GatewayApp, deps: WaitDeps): void {
  for (const { path, params } of newRunPaths("/wait")) {
    app.post(
      path,
      {
        schema: { params, headers: CreateRunHeaders, body: CreateRunBody, tags: ["runs"] },
        preValidation: preparedBody(supportedRunBody),
      },
      async ({ params: { thread_id: threadId }, headers, body, trace }, reply) => {
        const idempotencyKey = headers["idempotency-key"];
        const run = await createRun(deps, { threadId, body, trace, idempotencyKey, reply });
        await serve(deps, { run, reply, cancels: run.on_disconnect === "cancel" });
      },
    );
  }

  app.get(
    "/threads/:thread_id/runs/:run_id/join",
    { schema: { params: ThreadRunPath, querystring: JoinQuery, tags: ["runs"] } },
    async ({ params, query }, reply) => {
      const run = await expectRun(deps, params);
      await serve(deps, { run, reply, cancels: query.cancel_on_disconnect });
    },
  );
}

interface Serving {
  readonly run: RunRow;
  readonly reply: FastifyReply;
  readonly cancels: boolean;
}

async function serve(deps: WaitDeps, { run, reply, cancels }: Serving): Promise<void> {
  reply.hijack();
  const body = openKeepAliveBody(reply.raw, {
    headers: { ...longResponseHeaders(reply), "content-location": runUrl(run) },
    heartbeatMs: deps.config.streaming.heartbeat_seconds * 1000,
  });
  const leave = deps.open.enter();
  try {
    body.finish(await answerWhenEnded(deps, run, body));
  } catch (error) {
    if (!body.isClosedByClient) body.finish(failureAfter(deps, run, error));
    else if (cancels) await cancelAbandoned(deps, run);
  } finally {
    leave();
  }
}

async function answerWhenEnded(deps: WaitDeps, run: RunRow, body: KeepAliveBody): Promise<unknown> {
  const signal = AbortSignal.any([body.closed, deps.open.ending]);
  const ended = isRunTerminal(run.status) ? run : await deps.runs.ended(run._id, signal);
  return answerOf(ended, (checkpointId) => deps.readState(run.thread_id, checkpointId));
}

/** The status line is sent already: a failure of the wait itself is told in the body. */
function failureAfter({ open, logger }: WaitDeps, run: RunRow, cause: unknown): unknown {
  const error = open.ending.aborted
    ? new AntlerError("shutting_down", "The gateway is shutting down; join the run on another replica", { cause })
    : cause;
  const problem = problemOf(error, traceIdOf(run.trace));
  if (problem.status === 500) logger.error({ err: cause, run_id: run._id }, "Waiting for a run failed");
  return failureOf(run, { code: problem.code, message: problem.detail });
}
