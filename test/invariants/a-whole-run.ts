import { createHash } from "node:crypto";

import {
  eventKeys,
  type NewRunEvent,
  outcomeMetadata,
  outcomeText,
  type RunEvent,
  type TokenUsage,
  usageKey,
  type UsageRecord,
} from "@antler/contracts";
import type { RunRow, TaskRow } from "@antler/store";

import { aRunDraft, aTaskDraft } from "../harness/rows.ts";
import type { RunSnapshot, StoredMessage } from "./run-snapshot.ts";

const AT = new Date("2026-01-01T00:00:00Z");
const CALL: TokenUsage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const EXECUTION: TokenUsage = { input_tokens: 20, output_tokens: 10, total_tokens: 30 };
const RUN = "run-1";
const THREAD = "thread-1";
const ENDED = { due_at: AT, deadline_at: AT, created_at: AT, updated_at: AT, started_at: AT, ended_at: AT };

/** What is kept of a run of two tasks that ended well; the worker of the second task was lost once. */
export function aWholeRun(): RunSnapshot {
  const tasks = [aTask("task-1", "call-1", 1), aTask("task-2", "call-2", 2)];
  const messages = messagesOf(tasks);
  const usage = [...leadUsage(), ...tasks.flatMap(taskUsage)];
  const draft = aRunDraft({
    _id: RUN,
    thread_id: THREAD,
    status: "success",
    stop_reason: "completed",
    epoch: 1,
    attempt: 1,
    calls: ["call-1", "call-2"],
    head: "checkpoint-9",
  });
  return {
    run: withoutLock({ ...draft, ...ENDED, turn: 1 }),
    tasks,
    events: eventsOf(tasks, messages),
    usage,
    usageTotal: { input_tokens: 10 * usage.length, output_tokens: 5 * usage.length, total_tokens: 15 * usage.length },
    messages,
    earlier: new Set(),
  };
}

function withoutLock({ lock: _, ...run }: RunRow): RunRow {
  return run;
}

function aTask(id: string, call: string, attempts: number): TaskRow {
  const result = `Finished ${id}.`;
  return {
    ...aTaskDraft({ _id: id, run_id: RUN, thread_id: THREAD, call_id: call }),
    ...ENDED,
    status: "completed",
    stop_reason: "completed",
    epoch: attempts,
    attempt: attempts,
    dispatch: attempts,
    result,
    result_sha256: createHash("sha256").update(result).digest("hex"),
    usage: EXECUTION,
    steps: 3,
  };
}

function leadUsage(): UsageRecord[] {
  return [1, 2].map((call) => ({ ...CALL, key: usageKey(RUN, 1, call), run_id: RUN, caller: "lead", model_name: "m" }));
}

/** Two calls of the last attempt; an earlier one was lost after its first. */
function taskUsage({ _id: id, epoch }: TaskRow): UsageRecord[] {
  const keys = [...(epoch > 1 ? [usageKey(id, 1, 1)] : []), usageKey(id, epoch, 1), usageKey(id, epoch, 2)];
  const caller = "subagent:general-purpose";
  return keys.map((key) => ({ ...CALL, key, run_id: RUN, task_id: id, caller, model_name: "m" }));
}

function messagesOf(tasks: readonly TaskRow[]): StoredMessage[] {
  const calls = tasks.map(({ call_id: id }) => ({ id, name: "task" }));
  return [
    { id: "m-1", type: "human", content: "Survey." },
    { id: "m-2", type: "ai", content: "", tool_calls: calls, usage_metadata: CALL },
    ...tasks.map((task, index) => toolMessage(`m-${index + 3}`, task)),
    { id: "m-9", type: "ai", content: "All is done.", usage_metadata: CALL },
  ];
}

function toolMessage(id: string, task: TaskRow): StoredMessage {
  const outcome = {
    status: "completed",
    result: task.result,
    error: null,
    stopReason: task.stop_reason,
    modelName: "m",
    usage: task.usage,
    resultSha256: task.result_sha256,
  } as const;
  const facts = { tool_call_id: task.call_id, additional_kwargs: { ...outcomeMetadata(outcome) } };
  return { id, type: "tool", content: outcomeText(outcome), ...facts };
}

const MESSAGE_TYPES = { human: "llm.human.input", ai: "llm.ai.response", tool: "llm.tool.result" } as const;

function eventsOf(tasks: readonly TaskRow[], messages: readonly StoredMessage[]): RunEvent[] {
  const told = messages.map((message): NewRunEvent => ({
    key: `message:${message.id ?? ""}`,
    type: MESSAGE_TYPES[message.type as "ai"],
    data: { namespace: [], message },
  }));
  const events: NewRunEvent[] = [
    { key: eventKeys.runStart, type: "run.start", data: {} },
    ...told.slice(0, 2),
    ...tasks.flatMap(taskEvents),
    ...told.slice(2),
    { key: eventKeys.runEnd, type: "run.end", data: { status: "success", stop_reason: "completed", error: null } },
  ];
  const address = { run_id: RUN, thread_id: THREAD, created_at: AT.toISOString(), category: "run" } as const;
  return events.map((event, index) => ({ ...event, ...address, seq: index + 1 }));
}

function taskEvents(task: TaskRow): NewRunEvent[] {
  const { _id: id, attempt, status, stop_reason, usage, result } = task;
  const base = { task_id: id, tool_call_id: task.call_id, round: 0 };
  const start = (n: number): NewRunEvent => ({
    key: eventKeys.taskStart(id, 0, n),
    type: "subagent.start",
    task_id: id,
    data: { ...base, attempt: n, epoch: n },
  });
  const step = (n: number, index: number): NewRunEvent => ({
    key: eventKeys.taskStep(id, 0, n, index),
    type: "subagent.step",
    task_id: id,
    data: {
      ...base,
      attempt: n,
      epoch: n,
      message_index: index,
      kind: index === 2 ? "tool" : "ai",
      text: index === 3 ? result : "",
      usage: index === 3 ? EXECUTION : CALL,
    },
  });
  const lost = attempt > 1 ? [start(1), step(1, 1)] : [];
  const end = { ...base, attempt, epoch: attempt, status, stop_reason, usage, result };
  const refused: NewRunEvent = {
    key: eventKeys.toolRefused(id, "r1"),
    type: "tool.refused",
    task_id: id,
    data: { tool_name: "task", tool_call_id: "r1", reason: "not_permitted", caller: "subagent:bash" },
  };
  return [
    ...lost,
    start(attempt),
    step(attempt, 1),
    refused,
    ...[2, 3].map((index) => step(attempt, index)),
    { key: eventKeys.taskEnd(id), type: "subagent.end", task_id: id, data: end },
  ];
}
