import type { FastifyReply } from "fastify";

import type { CreateRunBody, TraceContext } from "@antler/contracts";
import type { RunRequest } from "@antler/delivery";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { expectResumable } from "./expect-resumable.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import { expectThread, TENANT } from "./http/lookups.ts";
import { runUrl } from "./http/paths.ts";
import { idempotencyOf } from "./idempotency.ts";
import { runRequestOf } from "./run-request.ts";

type CreateRunDeps = Pick<GatewayDeps, "config" | "threads" | "runs" | "readState">;

export interface NewRun {
  readonly runId?: string;
  readonly threadId: string;
  readonly body: CreateRunBody;
  readonly trace: TraceContext;
  readonly idempotencyKey: string | undefined;
  /** Gets the run's address, and whether it is the run of an earlier request. */
  readonly reply: FastifyReply;
}

/** Creates a run. A request that is refused leaves nothing behind, also no thread. */
export async function createRun(deps: CreateRunDeps, given: NewRun): Promise<RunRow> {
  const { runId = newId(), reply } = given;
  const run = await submit(deps, { ...given, runId });
  reply.header("content-location", runUrl(run));
  if (run._id !== runId) reply.header("idempotency-replayed", "true");
  return run;
}

async function submit(deps: CreateRunDeps, given: NewRun & { readonly runId: string }): Promise<RunRow> {
  const { threadId, body } = given;
  const request = requestOf(deps, given);
  const earlier = await deps.runs.replayed(request);
  if (earlier !== undefined) return earlier;
  await provideThread(deps, request, body.if_not_exists === "create");
  if (body.command !== undefined && (await deps.runs.holderOf(threadId)) === undefined)
    await expectResumable(deps, threadId, body.command.resume);
  return deps.runs.submit(request);
}

function requestOf({ config }: CreateRunDeps, given: NewRun & { readonly runId: string }): RunRequest {
  const { runId, threadId, body, trace, idempotencyKey: key } = given;
  const place = { _id: runId, tenant_id: TENANT, thread_id: threadId, trace };
  const request = runRequestOf(body, place, config.models);
  return { ...request, ...idempotencyOf({ key, tenantId: TENANT, threadId, body }) };
}

/** A thread is made only when there is room for its run. */
async function provideThread(deps: CreateRunDeps, { thread_id: id, lane }: RunRequest, mayCreate: boolean) {
  if (!mayCreate) return expectThread(deps, id);
  const thread = await deps.threads.get(TENANT, id);
  if (thread !== undefined) return thread;
  await deps.runs.expectRoom(lane);
  return deps.threads.ensure({ _id: id, tenant_id: TENANT, metadata: {} });
}
