import type { EndedCalls } from "@antler/agent";
import { isAntlerError, isTaskTerminal, type SubagentOutcome, type SubagentStatus } from "@antler/contracts";
import { createKinds, type DeliveryDeps, waitUntilTerminal } from "@antler/delivery";
import type { TaskRow } from "@antler/store";

/** How often a task that is still ending is looked at. */
const POLL_MS = 500;

/** Looks up in the ledger how the task calls of a thread ended. */
export function createEndedCalls(deps: DeliveryDeps, threadId: string): EndedCalls {
  const { tasks } = createKinds(deps);
  const wait = {
    bus: deps.bus,
    name: tasks.name,
    ledger: tasks.ledger,
    isTerminal: (task: TaskRow) => isTaskTerminal(task.status),
  };
  const ended = async (task: TaskRow, waitMs: number): Promise<TaskRow | undefined> => {
    if (isTaskTerminal(task.status)) return task;
    if (waitMs === 0) return undefined;
    try {
      return await waitUntilTerminal(wait, task._id, { signal: AbortSignal.timeout(waitMs), pollMs: POLL_MS });
    } catch (error) {
      if (isAntlerError(error)) throw error;
      return undefined;
    }
  };
  return async (callIds, waitMs) => {
    const condition = { thread_id: threadId, call_id: { $in: [...callIds] } };
    const rows = await tasks.ledger.find(condition, callIds.length);
    const found = await Promise.all(rows.map((row) => ended(row, waitMs)));
    return new Map(found.flatMap((row) => (row === undefined ? [] : [[row.call_id, outcomeOf(row)]])));
  };
}

function outcomeOf(task: TaskRow): SubagentOutcome {
  return {
    status: task.status as SubagentStatus,
    result: task.result,
    partialResult: task.partial_result,
    error: task.error,
    stopReason: task.stop_reason,
    modelName: task.model_name,
    usage: task.usage,
    resultSha256: task.result_sha256,
  };
}
