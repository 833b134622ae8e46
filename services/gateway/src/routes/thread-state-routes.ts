import { z } from "zod";

import { AntlerError, CheckpointRef, ThreadHistoryBody, ThreadStateView } from "@antler/contracts";
import type { StoredState } from "@antler/store";

import type { GatewayDeps } from "../gateway-deps.ts";
import type { GatewayApp } from "../http/gateway-app.ts";
import { expectThread } from "../http/lookups.ts";
import { ThreadCheckpointPath, ThreadPath } from "../http/paths.ts";
import { preparedBody } from "../http/prepared-body.ts";
import { newestState } from "../newest-state.ts";
import { supportedHistoryBody } from "../unsupported-options.ts";
import { threadStateOf } from "../views/thread-view.ts";

type StateDeps = Pick<GatewayDeps, "threads" | "runs" | "readState" | "readHistory">;

const CheckpointBody = z.object({ checkpoint: CheckpointRef.partial().required({ checkpoint_id: true }) });

/** What a thread holds: now, at an earlier checkpoint, and one after the other. */
export function threadStateRoutes(app: GatewayApp, deps: StateDeps): void {
  const response = { 200: ThreadStateView };

  app.get(
    "/threads/:thread_id/state",
    { schema: { params: ThreadPath, response, tags: ["threads"] } },
    async ({ params }) => {
      const thread = await expectThread(deps, params.thread_id);
      return threadStateOf(thread._id, await newestState(deps, thread._id));
    },
  );

  app.get(
    "/threads/:thread_id/state/:checkpoint_id",
    { schema: { params: ThreadCheckpointPath, response, tags: ["threads"] } },
    ({ params }) => stateAt(deps, params.thread_id, params.checkpoint_id),
  );

  app.post(
    "/threads/:thread_id/state/checkpoint",
    { schema: { params: ThreadPath, body: CheckpointBody, response, tags: ["threads"] } },
    ({ params, body }) => stateAt(deps, params.thread_id, body.checkpoint.checkpoint_id),
  );

  app.post(
    "/threads/:thread_id/history",
    {
      schema: {
        params: ThreadPath,
        body: ThreadHistoryBody,
        response: { 200: z.array(ThreadStateView) },
        tags: ["threads"],
      },
      preValidation: preparedBody((body) => supportedHistoryBody(body ?? {})),
    },
    async ({ params, body }) => {
      const thread = await expectThread(deps, params.thread_id);
      const states = await historyOf(deps, thread._id, body);
      return states.map((state) => threadStateOf(thread._id, state));
    },
  );
}

async function stateAt(deps: StateDeps, threadId: string, checkpointId: string): Promise<ThreadStateView> {
  const thread = await expectThread(deps, threadId);
  const state = await deps.readState(thread._id, checkpointId);
  if (state !== undefined) return threadStateOf(thread._id, state);
  throw new AntlerError("checkpoint_not_found", `Thread ${threadId} has no checkpoint ${checkpointId}`);
}

/** From the newest checkpoint, from the one that is named, or from behind the one before which they are asked for. */
async function historyOf(deps: StateDeps, threadId: string, body: ThreadHistoryBody): Promise<readonly StoredState[]> {
  const behind = body.before?.checkpoint_id;
  const from = behind ?? body.checkpoint?.checkpoint_id ?? (await deps.runs.newestHead(threadId));
  if (from == null) return [];
  if (behind === undefined) return deps.readHistory(threadId, from, body.limit);
  return (await deps.readHistory(threadId, from, body.limit + 1)).slice(1);
}
