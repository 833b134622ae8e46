import { failedOutcome, type SubagentOutcome, type SubagentStatus } from "@antler/contracts";
import type { TaskLedger, TaskRow } from "@antler/store";

/** The outcome of a terminal task, as the lead sees it. A task that reached its deadline was given up by its lead. */
export async function outcomeOfTask(
  { wholeResult }: Pick<TaskLedger, "wholeResult">,
  task: TaskRow,
): Promise<SubagentOutcome> {
  const isGivenUp = task.stop_reason === "deadline";
  return {
    status: isGivenUp ? "polling_timed_out" : (task.status as SubagentStatus),
    result: await wholeResult(task),
    partialResult: task.partial_result,
    error: isGivenUp ? givenUpText(task) : task.error,
    stopReason: task.stop_reason,
    modelName: task.model_name,
    usage: task.usage,
    resultSha256: task.result_sha256,
  };
}

function givenUpText({ execution_limit_ms: limitMs, started_at: startedAt }: TaskRow): string {
  const minutes = Math.floor(limitMs / 60_000);
  const status = startedAt === null ? "pending" : "running";
  return (
    `Task polling timed out after ${minutes} minutes. ` +
    `This may indicate the background task is stuck. Status: ${status}`
  );
}

/** The outcome of a task whose row is no longer in the ledger. */
export function outcomeOfGoneTask({ call_id: callId, model_name: modelName }: TaskRow): SubagentOutcome {
  return { ...failedOutcome(`Task ${callId} disappeared from background tasks`), modelName };
}
