import { categoryOf, type RunEvent, type RunEventType } from "@antler/contracts";

/** Events of one run for tests; numbers and keys may be given. */
export function anEvent(type: RunEventType, data: Record<string, unknown>, given: Partial<RunEvent> = {}): RunEvent {
  return {
    run_id: "run-1",
    seq: 1,
    key: `${type}:${given.seq ?? 1}`,
    thread_id: "thread-1",
    type,
    category: categoryOf(type),
    data,
    created_at: "2026-01-01T00:00:00.000Z",
    ...given,
  };
}

const execution = { task_id: "task-1", tool_call_id: "call-1", round: 0, epoch: 1, attempt: 1 };

export const subagentStart = (seq: number): RunEvent =>
  anEvent(
    "subagent.start",
    {
      ...execution,
      description: "look around",
      subagent_type: "bash",
      model_name: "m",
      runner_id: "r",
      pid: 1,
    },
    { seq },
  );

export const subagentEnd = (seq: number): RunEvent =>
  anEvent(
    "subagent.end",
    { ...execution, status: "completed", stop_reason: "completed", model_name: "m", usage: null, result: "done" },
    { seq },
  );
