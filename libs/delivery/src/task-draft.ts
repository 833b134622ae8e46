import type { Config, TaskEnvelope } from "@antler/contracts";
import type { RunRow, TaskDraft } from "@antler/store";

import { initialDelivery, WAIT_MARGIN_MS } from "./submit-run.ts";

/** How long a task may take in all: in the queue, in execution, and with room for both to be noticed. */
export function taskDeadlineMs({ queueMs, executionMs }: { queueMs: number; executionMs: number }): number {
  return queueMs + executionMs + WAIT_MARGIN_MS;
}

/** The row of a task before it has its dates. */
export function taskDraftOf(
  config: Config,
  { run, envelope }: { readonly run: RunRow; readonly envelope: Omit<TaskEnvelope, "task_id"> },
  taskId: string,
): TaskDraft {
  const queueMs = config.delivery.queue_timeout_seconds * 1000;
  const executionMs = envelope.subagent.timeout_seconds * 1000;
  return {
    _id: taskId,
    tenant_id: run.tenant_id,
    run_id: run._id,
    thread_id: run.thread_id,
    call_id: envelope.tool_call_id,
    pool: envelope.subagent.pool,
    lane: run.lane,
    trace: envelope.trace,
    status: "pending",
    subagent_type: envelope.subagent.name,
    description: envelope.description,
    envelope: { ...envelope, task_id: taskId },
    model_name: envelope.model_name,
    result: null,
    result_sha256: null,
    partial_result: null,
    error: null,
    usage: null,
    steps: 0,
    ...initialDelivery,
    max_attempts: config.delivery.task_attempts,
    queue_limit_ms: queueMs,
    execution_limit_ms: executionMs,
    deadline_ms: taskDeadlineMs({ queueMs, executionMs }),
  };
}
