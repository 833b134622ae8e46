import type { TaskView, TokenUsage } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

/** A task as clients see it. Usage counts every model call of every attempt. */
export function taskViewOf(task: TaskRow, usage: TokenUsage | null): TaskView {
  return {
    task_id: task._id,
    run_id: task.run_id,
    tool_call_id: task.call_id,
    subagent_type: task.subagent_type,
    description: task.description,
    status: task.status,
    stop_reason: task.stop_reason,
    error: task.error,
    attempts: task.attempt,
    round: task.round,
    runner_id: task.claim?.runner_id ?? null,
    pid: task.claim?.pid ?? null,
    model_name: task.model_name,
    created_at: task.created_at.toISOString(),
    started_at: task.started_at?.toISOString() ?? null,
    ended_at: task.ended_at?.toISOString() ?? null,
    steps: task.steps,
    usage,
  };
}
