import type { SubagentOutcome, SubagentStatus } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

/** The outcome of a terminal task, as the lead sees it. */
export function outcomeOfTask(task: TaskRow): SubagentOutcome {
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
