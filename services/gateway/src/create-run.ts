import type { FastifyReply } from "fastify";

import { type CreateRunBody, isAntlerError, type TraceContext } from "@antler/contracts";
import type { RunRequest } from "@antler/delivery";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { expectRemovable } from "./expect-removable.ts";
import { expectResumable } from "./expect-resumable.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import { expectThread, TENANT } from "./http/lookups.ts";
import { runUrl } from "./http/paths.ts";
import { idempotencyOf } from "./idempotency.ts";
import { runRequestOf } from "./run-request.ts";

type CreateRunDeps = Pick<GatewayDeps, "config" | "threads" | "runs" | "readState">;

export interface NewRun {
  readonly runId?: string;
  /** Without it the run gets a thread of its own. */
  readonly threadId?: string | undefined;
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
  const request = requestOf(deps, given);
  const earlier = await deps.runs.replayed(request);
  if (earlier !== undefined) return earlier;
  try {
    return await deps.runs.withinLimits(request, () => submitWithin(deps, request, given));
  } catch (error) {
    const same = await sameRequestMeanwhile(deps, request, error);
    if (same === undefined) throw error;
    return same;
  }
}

async function submitWithin(
  deps: CreateRunDeps,
  request: RunRequest,
  { body, threadId: given }: NewRun,
): Promise<RunRow> {
  await expectRemovable(deps, request.thread_id, request.input);
  const { thread_id: threadId, tenant_id } = request;
  const mayCreate = given === undefined || body.if_not_exists === "create";
  if (!mayCreate) await expectThread(deps, threadId);
  const answered = body.command && { continues: await expectResumable(deps, threadId, body.command.resume) };
  if (mayCreate) await deps.threads.ensure({ _id: threadId, tenant_id, metadata: {} });
  return deps.runs.submit({ ...request, ...answered });
}

/** A request that was sent several times at once may be refused because the first of them is stored meanwhile. */
async function sameRequestMeanwhile(deps: CreateRunDeps, request: RunRequest, refusal: unknown) {
  const isRefused = isAntlerError(refusal, "queue_full", "tenant_limit_reached", "thread_busy", "nothing_to_resume");
  return isRefused ? deps.runs.replayed(request) : undefined;
}

function requestOf({ config }: CreateRunDeps, given: NewRun & { readonly runId: string }): RunRequest {
  const { runId, threadId, body, trace, idempotencyKey: key } = given;
  const place = { _id: runId, tenant_id: TENANT, thread_id: threadId ?? newId(), trace };
  const request = runRequestOf(body, place, config.models);
  return { ...request, ...idempotencyOf({ key, tenantId: TENANT, threadId, body }) };
}
