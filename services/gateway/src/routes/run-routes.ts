import { z } from "zod";

import { CancelQuery, CreateRunBody, RunView } from "@antler/contracts";
import type { RunRow } from "@antler/store";

import { waitUntilCancelled } from "../cancel-wait.ts";
import { createRun } from "../create-run.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectRun, expectThread } from "../http/lookups.ts";
import { newRunPaths, RunPath, ThreadPath, ThreadRunPath } from "../http/paths.ts";
import { preparedBody } from "../http/prepared-body.ts";
import { CreateRunHeaders } from "../idempotency.ts";
import type { OpenResponses } from "../stream/open-responses.ts";
import { supportedRunBody } from "../unsupported-options.ts";
import { runViewOf } from "../views/run-view.ts";

type RunDeps = Pick<GatewayDeps, "config" | "threads" | "runs" | "readState" | "usageOf"> & {
  readonly open: OpenResponses;
};

const RunsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  offset: z.coerce.number().int().min(0).default(0),
});

export function runRoutes(app: GatewayApp, deps: RunDeps): void {
  const view = async (run: RunRow) => runViewOf(run, await deps.usageOf({ runId: run._id }));

  for (const { path, params } of newRunPaths("")) {
    app.post(
      path,
      {
        schema: { params, headers: CreateRunHeaders, body: CreateRunBody, response: { 200: RunView }, tags: ["runs"] },
        preValidation: preparedBody(supportedRunBody),
      },
      async ({ params: { thread_id: threadId }, headers, body, trace }, reply) => {
        const idempotencyKey = headers["idempotency-key"];
        return view(await createRun(deps, { threadId, body, trace, idempotencyKey, reply }));
      },
    );
  }

  app.get(
    "/threads/:thread_id/runs",
    {
      schema: { params: ThreadPath, querystring: RunsQuery, response: { 200: z.array(RunView) }, tags: ["runs"] },
    },
    async ({ params, query }, reply) => {
      await expectThread(deps, params.thread_id);
      const { limit, offset } = query;
      const found = await deps.runs.listByThread(params.thread_id, { limit: limit + 1, offset });
      if (found.length > limit) reply.header("x-pagination-next", String(offset + limit));
      return Promise.all(found.slice(0, limit).map(view));
    },
  );

  app.get(
    "/threads/:thread_id/runs/:run_id",
    { schema: { params: ThreadRunPath, response: { 200: RunView }, tags: ["runs"] } },
    async ({ params }) => view(await expectRun(deps, params)),
  );

  app.get(
    "/runs/:run_id",
    { schema: { params: RunPath, response: { 200: RunView }, tags: ["runs"] } },
    async ({ params }) => view(await expectRun(deps, params)),
  );

  app.post(
    "/threads/:thread_id/runs/:run_id/cancel",
    { schema: { params: ThreadRunPath, querystring: CancelQuery, tags: ["runs"] } },
    async ({ params, query }, reply) => {
      const run = await deps.runs.cancel(await expectRun(deps, params), query.action);
      if (!query.wait) return reply.code(202).send({});
      await waitUntilCancelled({ runs: deps.runs, closing: deps.open.ending }, run);
      return reply.code(204).send();
    },
  );
}
