import { AntlerError, DEFAULT_TENANT } from "@antler/contracts";
import type { RunRow, ThreadRow } from "@antler/store";

import type { GatewayDeps } from "../gateway-deps.ts";

/** The tenant of every request: there is no authentication. */
export const TENANT = DEFAULT_TENANT;

/** @throws AntlerError `thread_not_found`, also for a thread of another tenant. */
export async function expectThread({ threads }: Pick<GatewayDeps, "threads">, threadId: string): Promise<ThreadRow> {
  const thread = await threads.get(TENANT, threadId);
  if (thread === undefined) throw new AntlerError("thread_not_found", `Thread ${threadId} does not exist`);
  return thread;
}

/** @throws AntlerError `run_not_found`, also for a run of another thread or tenant. */
export async function expectRun(
  { runs }: Pick<GatewayDeps, "runs">,
  { run_id, thread_id }: { run_id: string; thread_id?: string },
): Promise<RunRow> {
  const run = await runs.get(run_id);
  const isVisible = run?.tenant_id === TENANT && (thread_id ?? run.thread_id) === run.thread_id;
  if (run === undefined || !isVisible) {
    const place = thread_id === undefined ? "" : ` on thread ${thread_id}`;
    throw new AntlerError("run_not_found", `Run ${run_id} does not exist${place}`);
  }
  return run;
}
