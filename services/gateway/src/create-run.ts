import type { CreateRunBody, TraceContext } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { GatewayDeps } from "./gateway-deps.ts";
import { expectThread, TENANT } from "./http/lookups.ts";
import { runRequestOf } from "./run-request.ts";

type CreateRunDeps = Pick<GatewayDeps, "config" | "threads" | "runs">;

export interface NewRun {
  readonly runId?: string;
  readonly threadId: string;
  readonly body: CreateRunBody;
  readonly trace: TraceContext;
}

/**
 * Checks the request itself first, so that an invalid one leaves nothing behind. A thread that was asked for stays
 * also when the queue is full: the repeated request finds it.
 */
export async function createRun(
  deps: CreateRunDeps,
  { runId = newId(), threadId, body, trace }: NewRun,
): Promise<RunRow> {
  const place = { _id: runId, tenant_id: TENANT, thread_id: threadId, trace };
  const request = runRequestOf(body, place, deps.config.models);
  if (body.if_not_exists === "create") {
    await deps.threads.ensure({ _id: threadId, tenant_id: TENANT, metadata: {} });
  } else {
    await expectThread(deps, threadId);
  }
  return deps.runs.submit(request);
}
