import { isDeepStrictEqual } from "node:util";

import type { RunEvent } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

import type { RunSnapshot, StoredMessage } from "./run-snapshot.ts";
import { unless, unlessUnique, type Violation } from "./violation.ts";

/** Each tool call of the thread has one ToolMessage, no ToolMessage is without its call, no message stands twice. */
export function checkResults({ run, messages }: RunSnapshot): Violation[] {
  const calls = messages.flatMap((message) => callsOf(message));
  const results = messages.filter(({ type }) => type === "tool").map(({ tool_call_id = "" }) => tool_call_id);
  const open = run.status === "success" ? calls.filter((call) => !results.includes(call)) : [];
  return [
    ...unlessUnique(
      messages.flatMap(({ id }) => (id === undefined ? [] : [id])),
      "message_once",
      "the message",
    ),
    ...unlessUnique(calls, "call_once", "the call"),
    ...unlessUnique(results, "result_once", "the ToolMessage of the call"),
    ...open.map((id) => ({ rule: "result_of_call", id, problem: "the call has no ToolMessage" })),
    ...results
      .filter((call) => !calls.includes(call))
      .map((id) => ({ rule: "call_of_result", id, problem: "the ToolMessage has no call" })),
  ];
}

/** What the lead was told of a task is what the task's row says. */
export function checkTaskResults({ tasks, messages, run }: RunSnapshot): Violation[] {
  return tasks.flatMap((task) => {
    const result = messages.find(({ tool_call_id }) => tool_call_id === task.call_id);
    if (result !== undefined) return checkTold(task, result);
    return unless(run.status !== "success", {
      rule: "task_told",
      id: task.call_id,
      problem: `the lead was never told how task ${task._id} ended`,
    });
  });
}

function checkTold(task: TaskRow, { content, additional_kwargs: facts = {} }: StoredMessage): Violation[] {
  const told = facts["subagent_status"];
  const digest = facts["subagent_result_sha256"];
  const isStored = facts["antler_output"] !== undefined;
  const isWhole =
    isStored || task.result === null || (typeof content === "string" && content.endsWith(`Result: ${task.result}`));
  return [
    ...unless(told === task.status || told === "polling_timed_out", {
      rule: "task_told",
      id: task.call_id,
      problem: `the lead was told ${String(told)}, the task is ${task.status}`,
    }),
    ...unless(told !== "completed" || (digest === task.result_sha256 && isWhole), {
      rule: "task_told",
      id: task.call_id,
      problem: "the lead was told another result than the task has",
    }),
  ];
}

/** The run's messages stand in its log, each once and with its words. */
export function checkMessageEvents(snapshot: RunSnapshot): Violation[] {
  const { run, messages, earlier, events } = snapshot;
  if (run.status !== "success") return [];
  const own = messages.filter(({ id, type }) => type !== "system" && id !== undefined && !earlier.has(id));
  const told = events.filter(({ type }) => type.startsWith("llm."));
  const known = new Set(own.map(({ id }) => `message:${id ?? ""}`));
  const surplus = run.epoch === 1 ? told.filter(({ key }) => !known.has(key)) : [];
  return [
    ...own.flatMap((message) => checkToldOnce(message, told)),
    ...surplus.map(({ key }) => ({ rule: "message_told", id: key, problem: "the message is not in the thread" })),
  ];
}

function checkToldOnce(message: StoredMessage, told: readonly RunEvent[]): Violation[] {
  const id = message.id ?? "";
  const events = told.filter(({ key }) => key === `message:${id}`);
  const logged = events[0]?.data["message"] as StoredMessage | undefined;
  return [
    ...unless(events.length === 1, { rule: "message_told", id, problem: `${events.length} events of the message` }),
    ...unless(logged === undefined || isDeepStrictEqual(logged.content, message.content), {
      rule: "message_told",
      id,
      problem: "log and thread have different words",
    }),
  ];
}

function callsOf({ type, tool_calls: calls = [] }: StoredMessage): string[] {
  return type === "ai" ? calls.flatMap(({ id }) => (id === undefined ? [] : [id])) : [];
}
