import { CreateThreadBody, PatchThreadBody, ThreadView } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { ThreadRow } from "@antler/store";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectThread, TENANT } from "../http/lookups.ts";
import { ThreadPath } from "../http/paths.ts";
import { preparedBody } from "../http/prepared-body.ts";
import { newestState } from "../newest-state.ts";
import { supportedThreadBody } from "../unsupported-options.ts";
import { threadViewOf } from "../views/thread-view.ts";

type ThreadDeps = Pick<GatewayDeps, "threads" | "runs" | "readState">;

export function threadRoutes(app: GatewayApp, deps: ThreadDeps): void {
  app.post(
    "/threads",
    {
      schema: { body: CreateThreadBody, response: { 200: ThreadView }, tags: ["threads"] },
      preValidation: preparedBody((body) => supportedThreadBody(body ?? {})),
    },
    async ({ body }) => {
      const draft = { _id: body.thread_id ?? newId(), tenant_id: TENANT, metadata: body.metadata ?? {} };
      return viewOf(deps, await deps.threads.create(draft, { ifExists: body.if_exists ?? "raise" }));
    },
  );

  app.get(
    "/threads/:thread_id",
    { schema: { params: ThreadPath, response: { 200: ThreadView }, tags: ["threads"] } },
    async ({ params }) => viewOf(deps, await expectThread(deps, params.thread_id)),
  );

  app.patch(
    "/threads/:thread_id",
    {
      schema: { params: ThreadPath, body: PatchThreadBody, response: { 200: ThreadView }, tags: ["threads"] },
      preValidation: preparedBody((body) => supportedThreadBody(body ?? {})),
    },
    async ({ params, body }) => {
      await expectThread(deps, params.thread_id);
      const thread = await deps.threads.mergeMetadata(TENANT, params.thread_id, body.metadata ?? {});
      return viewOf(deps, thread ?? (await expectThread(deps, params.thread_id)));
    },
  );
}

async function viewOf(deps: ThreadDeps, thread: ThreadRow): Promise<ThreadView> {
  const newestRun = await deps.runs.newestStanding(thread._id);
  return threadViewOf(thread, { newestRun, state: await newestState(deps, thread._id) });
}
