import {
  EVENT_TEXT_MAX_CHARS,
  eventKeys,
  headOf,
  type NewRunEvent,
  type SubagentEnd,
  type SubagentStart,
} from "@antler/contracts";
import type { TaskRow } from "@antler/store";

/** What is logged when a claim begins to work. */
export function taskStartEvent(task: TaskRow): NewRunEvent {
  const data: SubagentStart = {
    task_id: task._id,
    tool_call_id: task.call_id,
    round: task.round,
    attempt: task.attempt,
    epoch: task.epoch,
    description: task.description,
    subagent_type: task.subagent_type,
    model_name: task.model_name,
    runner_id: task.claim?.runner_id ?? "",
    pid: task.claim?.pid ?? 0,
  };
  return {
    key: eventKeys.taskStart(task._id, task.round, task.epoch),
    type: "subagent.start",
    task_id: task._id,
    data,
  };
}

/** What is logged of a terminal task. A task that was given up has no error of its own: nobody saw it fail. */
export function taskEndEvent(task: TaskRow): NewRunEvent {
  const data: SubagentEnd = {
    task_id: task._id,
    tool_call_id: task.call_id,
    round: task.round,
    attempt: task.attempt,
    epoch: task.epoch,
    status: task.status,
    stop_reason: task.stop_reason,
    model_name: task.model_name,
    usage: task.usage,
    ...bounded("result", task.result),
    ...bounded("error", task.stop_reason === "deadline" ? null : task.error),
  };
  return { key: eventKeys.taskEnd(task._id), type: "subagent.end", task_id: task._id, data };
}

/** The end in the log of a task whose row is no longer in the ledger. */
export function taskGoneEvent(task: TaskRow): NewRunEvent {
  const error = "Task disappeared from background tasks";
  return taskEndEvent({ ...task, status: "failed", stop_reason: "lost_worker", error });
}

function bounded(name: "result" | "error", text: string | null): Partial<SubagentEnd> {
  if (text === null) return {};
  const head = headOf(text, EVENT_TEXT_MAX_CHARS);
  return { [name]: head, ...(head.length < text.length && { [`${name}_truncated`]: true }) };
}
