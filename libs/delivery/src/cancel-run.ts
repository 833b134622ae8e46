import { AntlerError } from "@antler/contracts";
import { cancelledWaiting, type CancelMark, type RunRow } from "@antler/store";

import { cancelEnding } from "./disposition.ts";
import { endRow } from "./end-row.ts";
import { payDuties } from "./pay-duties.ts";
import type { RunKind } from "./run-kind.ts";

export interface CancelRequest {
  readonly tenantId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly action: Exclude<CancelMark["action"], "parent_ended">;
}

/**
 * Marks a run as cancelled and spreads the word; idempotent. The run has ended when its row says so, not when this
 * returns. Returns the row as it is now.
 * @throws run_not_found, or run_not_cancellable when it ended in another way.
 */
export async function cancelRun(kind: RunKind, { tenantId, threadId, runId, action }: CancelRequest): Promise<RunRow> {
  const run = await kind.ledger.get(runId);
  if (run?.tenant_id !== tenantId || run.thread_id !== threadId)
    throw new AntlerError("run_not_found", `Run ${runId} does not exist on thread ${threadId}`);
  if (kind.isTerminal(run)) return terminalAlready(run);
  await kind.ledger.markCancelled({ _id: runId }, action, ["cancel_tasks"]);
  const marked = (await kind.ledger.get(runId)) ?? run;
  if (kind.isTerminal(marked)) return terminalAlready(marked);
  await payDuties(kind, marked);
  await endRow(kind, marked, { condition: cancelledWaiting, ending: cancelEnding(marked.cancel?.action) });
  return (await kind.ledger.get(runId)) ?? marked;
}

function terminalAlready(run: RunRow): RunRow {
  if (run.cancel !== null) return run;
  const details = { status: run.status };
  throw new AntlerError("run_not_cancellable", `Run ${run._id} is not cancellable (status: ${run.status})`, {
    details,
  });
}
