import { isDeepStrictEqual } from "node:util";

import { EVENT_TEXT_MAX_CHARS, eventKeys, headOf, type RunEvent } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

import type { RunSnapshot } from "./run-snapshot.ts";
import { unless, unlessUnique, type Violation } from "./violation.ts";

/** The log is numbered from 1 without a gap, has each key once, and one end, which is its last event. */
export function checkNumbering({ run, events }: RunSnapshot): Violation[] {
  const numbers = events.map(({ seq }) => seq);
  const ends = events.filter(({ type }) => type === "run.end");
  const strays = events.filter((event) => event.run_id !== run._id || event.thread_id !== run.thread_id);
  return [
    ...missingOf(numbers).map((seq) => ({ rule: "log_gap", id: String(seq), problem: "the number is missing" })),
    ...unlessUnique(numbers.map(String), "log_number", "the number"),
    ...unlessUnique(
      events.map(({ key }) => key),
      "log_key",
      "the key",
    ),
    ...unless(ends.length === 1, { rule: "log_end", id: eventKeys.runEnd, problem: `${ends.length} ends` }),
    ...unless(events.at(-1)?.type === "run.end", {
      rule: "log_end",
      id: String(events.at(-1)?.seq ?? 0),
      problem: "the last event is not the end of the run",
    }),
    ...strays.map(({ seq }) => ({ rule: "log_address", id: String(seq), problem: "the event is of another run" })),
  ];
}

/** What the log says of the run's and its tasks' ends is what their rows say. */
export function checkEnds({ run, tasks, events }: RunSnapshot): Violation[] {
  const { status, stop_reason, error } = run;
  const end = events.find(({ type }) => type === "run.end");
  return [
    ...unless(end === undefined || isDeepStrictEqual(end.data, { status, stop_reason, error }), {
      rule: "log_says_row",
      id: eventKeys.runEnd,
      problem: `the log ends with ${JSON.stringify(end?.data)}, the row with ${status}, ${stop_reason ?? "null"}`,
    }),
    ...tasks.flatMap((task) => checkTaskEnd(task, events)),
  ];
}

function checkTaskEnd(task: TaskRow, events: readonly RunEvent[]): Violation[] {
  const ends = events.filter(({ type, task_id }) => type === "subagent.end" && task_id === task._id);
  const { data } = ends[0] ?? { data: undefined };
  const text = (value: string | null) => (value === null ? undefined : headOf(value, EVENT_TEXT_MAX_CHARS));
  const facts = (value: Readonly<Record<string, unknown>>) => {
    const { status, stop_reason, attempt, round, tool_call_id, usage, result, error } = value;
    return { status, stop_reason, attempt, round, tool_call_id, usage, result, error };
  };
  const expected = facts({
    ...task,
    tool_call_id: task.call_id,
    result: text(task.result),
    error: text(task.error),
  });
  return [
    ...unless(ends.length === 1, { rule: "task_end_once", id: task._id, problem: `${ends.length} subagent.end` }),
    ...unless(data === undefined || isDeepStrictEqual(facts(data), expected), {
      rule: "log_says_row",
      id: eventKeys.taskEnd(task._id),
      problem: "the end in the log differs from the row",
    }),
  ];
}

/** The steps of each attempt are numbered from 1 without a gap, under their keys, and those of the last are all there. */
export function checkSteps({ tasks, events }: RunSnapshot): Violation[] {
  const known = new Set(tasks.map(({ _id }) => _id));
  const strays = events.filter(({ task_id }) => task_id !== undefined && !known.has(task_id));
  return [
    ...strays.map(({ key }) => ({ rule: "task_of_event", id: key, problem: "the event's task has no row" })),
    ...tasks.flatMap((task) =>
      checkTaskSteps(
        task,
        events.filter(({ task_id }) => task_id === task._id),
      ),
    ),
  ];
}

function checkTaskSteps(task: TaskRow, own: readonly RunEvent[]): Violation[] {
  const steps = own.filter(({ type }) => type === "subagent.step");
  const attempts = Map.groupBy(steps, ({ data }) => `${String(data["round"])}.${String(data["epoch"])}`);
  const last = attempts.get(`${task.round}.${task.epoch}`) ?? [];
  return [
    ...own.flatMap((event) => checkKey(task, event)),
    ...[...attempts.values()].flatMap((group) => checkIndexes(group)),
    ...unless(task.status !== "completed" || startOf(task, own) !== undefined, {
      rule: "task_start",
      id: eventKeys.taskStart(task._id, task.round, task.epoch),
      problem: "the last attempt has no start",
    }),
    ...unless(!isSettledByWorker(task) || last.length === task.steps, {
      rule: "all_steps",
      id: task._id,
      problem: `the row has ${task.steps} steps, the log ${last.length}`,
    }),
    ...unless(!isSettledByWorker(task) || isResultSaid(task, last), {
      rule: "last_step",
      id: last.at(-1)?.key ?? task._id,
      problem: "the last step does not say the result",
    }),
  ];
}

function isSettledByWorker(task: TaskRow): boolean {
  return task.status === "completed" && task.stop_reason === "completed";
}

function isResultSaid({ result }: TaskRow, steps: readonly RunEvent[]): boolean {
  const said = steps.filter(({ data }) => data["kind"] === "ai").map(({ data }) => data["text"]);
  return said.length === 0 || said.includes(headOf(result ?? "", EVENT_TEXT_MAX_CHARS));
}

function startOf(task: TaskRow, own: readonly RunEvent[]): RunEvent | undefined {
  return own.find(({ key }) => key === eventKeys.taskStart(task._id, task.round, task.epoch));
}

function checkIndexes(steps: readonly RunEvent[]): Violation[] {
  return steps.flatMap(({ key, data }, position) =>
    unless(data["message_index"] === position + 1, {
      rule: "step_order",
      id: key,
      problem: `step ${String(data["message_index"])} stands at place ${position + 1}`,
    }),
  );
}

function checkKey(task: TaskRow, { key, type, data }: RunEvent): Violation[] {
  if (type === "tool.refused") {
    const isOwn = key === eventKeys.toolRefused(task._id, String(data["tool_call_id"]));
    return unless(isOwn, { rule: "event_key", id: key, problem: "key and contents differ" });
  }
  const [round, epoch, index] = [data["round"], data["epoch"], data["message_index"]].map(Number);
  const expected = {
    "subagent.start": eventKeys.taskStart(task._id, round ?? 0, epoch ?? 0),
    "subagent.step": eventKeys.taskStep(task._id, round ?? 0, epoch ?? 0, index ?? 0),
    "subagent.end": eventKeys.taskEnd(task._id),
  }[type as "subagent.end"];
  const isOwn = data["task_id"] === task._id && data["tool_call_id"] === task.call_id && (epoch ?? 0) <= task.epoch;
  return unless(key === expected && isOwn, { rule: "event_key", id: key, problem: "key and contents differ" });
}

function missingOf(numbers: readonly number[]): number[] {
  const present = new Set(numbers);
  const highest = Math.max(0, ...numbers);
  return Array.from({ length: highest }, (_value, index) => index + 1).filter((seq) => !present.has(seq));
}
