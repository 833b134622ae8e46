import { describe, expect, it } from "vitest";

import { eventKeys, type RunEvent } from "@antler/contracts";

import { aWholeRun } from "./a-whole-run.ts";
import { findViolations } from "./find-violations.ts";
import type { RunSnapshot } from "./run-snapshot.ts";

type Change = (snapshot: RunSnapshot) => RunSnapshot;

const idsOf = (snapshot: RunSnapshot) => findViolations(snapshot).map(({ id }) => id);

/** Numbers the events anew, as a log that had lost or doubled one from the beginning would be numbered. */
const renumbered = (events: readonly RunEvent[]) => events.map((event, index) => ({ ...event, seq: index + 1 }));

function isEnd({ type }: RunEvent): boolean {
  return type === "run.end";
}

function removing<T>(list: readonly T[], is: (item: T) => boolean): T[] {
  return list.filter((item) => !is(item));
}

function doubling<T>(list: readonly T[], is: (item: T) => boolean): T[] {
  return list.flatMap((item) => (is(item) ? [item, item] : [item]));
}

function altering<T>(list: readonly T[], is: (item: T) => boolean, fields: Partial<T>): T[] {
  return list.map((item) => (is(item) ? { ...item, ...fields } : item));
}

const withRun =
  (fields: object): Change =>
  (s) => ({ ...s, run: { ...s.run, ...fields } });
const withTask =
  (id: string, fields: object): Change =>
  (s) => ({
    ...s,
    tasks: altering(s.tasks, ({ _id }) => _id === id, fields),
  });
const withEvent =
  (key: string, data: object): Change =>
  (s) => ({
    ...s,
    events: s.events.map((event) => (event.key === key ? { ...event, data: { ...event.data, ...data } } : event)),
  });
const withUsage =
  (key: string, fields: object): Change =>
  (s) => ({
    ...s,
    usage: altering(s.usage, (record) => record.key === key, fields),
  });
const withMessage =
  (id: string, fields: object): Change =>
  (s) => ({
    ...s,
    messages: altering(s.messages, (message) => message.id === id, fields),
  });

const step = (attempt: number, index: number) => eventKeys.taskStep("task-2", 0, attempt, index);

const LOST: readonly (readonly [string, string, Change])[] = [
  ["a task row", "call-2", (s) => ({ ...s, tasks: removing(s.tasks, ({ _id }) => _id === "task-2") })],
  ["an admitted call", "call-2", withRun({ calls: ["call-1"] })],
  ["an event, which leaves a gap", "5", (s) => ({ ...s, events: removing(s.events, ({ seq }) => seq === 5) })],
  ["the end of the log", "run:end", (s) => ({ ...s, events: s.events.slice(0, -1) })],
  ...[
    ["the end of a task", eventKeys.taskEnd("task-1"), "task-1"],
    ["the start of a task", eventKeys.taskStart("task-2", 0, 2), eventKeys.taskStart("task-2", 0, 2)],
    ["a step in the middle", step(2, 2), step(2, 3)],
    ["the last step", step(2, 3), "task-2"],
    ["a message of the log", "message:m-3", "m-3"],
  ].map(([what = "", key, id = ""]): [string, string, Change] => [
    what,
    id,
    (s) => ({ ...s, events: renumbered(removing(s.events, (event) => event.key === key)) }),
  ]),
  ...[
    ["a usage record of a task", "task-1:1:2", "task-1"],
    ["a usage record of a lost attempt", "task-2:1:1", "task-2"],
    ["a usage record of the lead", "run-1:1:2", "m-9"],
  ].map(([what = "", key, id = ""]): [string, string, Change] => [
    what,
    id,
    (s) => ({ ...s, usage: removing(s.usage, (record) => record.key === key) }),
  ]),
  ["a ToolMessage", "call-1", (s) => ({ ...s, messages: removing(s.messages, ({ id }) => id === "m-3") })],
];

const DOUBLED: readonly (readonly [string, string, Change])[] = [
  ["a task row", "task-1", (s) => ({ ...s, tasks: doubling(s.tasks, ({ _id }) => _id === "task-1") })],
  ["the task of a call", "call-1", (s) => ({ ...s, tasks: [...s.tasks, { ...s.tasks[0]!, _id: "task-3" }] })],
  ["an admitted call", "call-1", withRun({ calls: ["call-1", "call-1", "call-2"] })],
  ["a number of the log", "7", (s) => ({ ...s, events: doubling(s.events, ({ seq }) => seq === 7) })],
  ["a step", step(2, 1), (s) => ({ ...s, events: renumbered(doubling(s.events, ({ key }) => key === step(2, 1))) })],
  ["the end of a task", "task-2", (s) => ({ ...s, events: doubling(s.events, ({ key }) => key === "task-2:end") })],
  ["the end of the log", "run:end", (s) => ({ ...s, events: renumbered(doubling(s.events, isEnd)) })],
  ["a usage record", "task-1:1:1", (s) => ({ ...s, usage: doubling(s.usage, ({ key }) => key === "task-1:1:1") })],
  [
    "a model call of a task under another number",
    "task-1",
    (s) => ({ ...s, usage: [...s.usage, { ...s.usage[2]!, key: "task-1:1:3" }] }),
  ],
  [
    "a model call of the lead under another number",
    "run-1:1:3",
    (s) => ({ ...s, usage: [...s.usage, { ...s.usage[0]!, key: "run-1:1:3" }] }),
  ],
  ["a ToolMessage", "call-1", (s) => ({ ...s, messages: doubling(s.messages, ({ id }) => id === "m-3") })],
  ["a message", "m-9", (s) => ({ ...s, messages: doubling(s.messages, ({ id }) => id === "m-9") })],
];

const ALTERED: readonly (readonly [string, string, Change])[] = [
  ["the run goes on", "run-1", withRun({ status: "running", stop_reason: null })],
  ["the run does not say why it ended", "run-1", withRun({ stop_reason: null })],
  ["the run ended otherwise than its log says", "run:end", withRun({ status: "error", stop_reason: "model_error" })],
  ["the run succeeded for a bad reason", "run-1", withRun({ stop_reason: "lost_worker" })],
  ["the run still owes", "run-1", withRun({ owed: ["sweep"] })],
  ["the run still holds its thread", "run-1", withRun({ lock: "thread-1" })],
  ["the run still has a lease", "run-1", withRun({ lease_until: new Date() })],
  ["the run has more attempts than it may", "run-1", withRun({ attempt: 6, epoch: 6 })],
  ["a task goes on", "task-1", withTask("task-1", { status: "pending" })],
  ["a task does not say why it ended", "task-1", withTask("task-1", { stop_reason: null })],
  ["a task has another result", "task-1", withTask("task-1", { result: "Something else." })],
  ["a task failed and the lead was told otherwise", "call-1", withTask("task-1", { status: "failed" })],
  ["a task is of another run", "task-1", withTask("task-1", { run_id: "run-2" })],
  ["a task answers a call that was not admitted", "call-3", withTask("task-1", { call_id: "call-3" })],
  ["a task still owes", "task-2", withTask("task-2", { owed: ["end_event"] })],
  ["a task has more steps than the log", "task-2", withTask("task-2", { steps: 4 })],
  [
    "a task used more than was recorded",
    "task-1",
    withTask("task-1", { usage: { input_tokens: 30, output_tokens: 10, total_tokens: 40 } }),
  ],
  ["the end in the log", "task-1:end", withEvent("task-1:end", { status: "failed" })],
  ["the result in the log", "task-1:end", withEvent("task-1:end", { result: "Something else." })],
  ["the place of a step", step(2, 2), withEvent(step(2, 2), { message_index: 3 })],
  ["the words of the last step", step(2, 3), withEvent(step(2, 3), { text: "Something else." })],
  ["the task of an event", step(2, 1), withEvent(step(2, 1), { task_id: "task-1" })],
  ["the words of a message in the log", "m-9", withEvent("message:m-9", { message: { content: "Else." } })],
  [
    "the address of an event",
    "4",
    (s) => ({ ...s, events: altering(s.events, ({ seq }) => seq === 4, { run_id: "run-2" }) }),
  ],
  ["the tokens of a task's call", "task-1", withUsage("task-1:1:2", { input_tokens: 11, total_tokens: 16 })],
  ["the tokens of a lead's call", "run-1:1:1", withUsage("run-1:1:1", { input_tokens: 11, total_tokens: 16 })],
  ["the sum of a call", "task-1:1:2", withUsage("task-1:1:2", { total_tokens: 16 })],
  ["the owner of a call", "task-1:1:2", withUsage("task-1:1:2", { task_id: "task-9" })],
  ["the claim of a call", "task-1:7:2", withUsage("task-1:1:2", { key: "task-1:7:2" })],
  ["the total", "run-1", (s) => ({ ...s, usageTotal: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } })],
  ["the call of a ToolMessage", "call-9", withMessage("m-3", { tool_call_id: "call-9" })],
  ["the words of a ToolMessage", "call-1", withMessage("m-3", { content: "Task Succeeded. Result: Else." })],
  ["the facts of a ToolMessage", "call-1", withMessage("m-3", { additional_kwargs: { subagent_status: "failed" } })],
  ["the words of an answer", "m-9", withMessage("m-9", { content: "Else." })],
];

describe("findViolations", () => {
  it("finds nothing in a run that is whole", () => {
    expect(findViolations(aWholeRun())).toEqual([]);
  });

  it.each(LOST)("sees that %s is lost, and names %s", (_what, id, change) => {
    expect(idsOf(change(aWholeRun()))).toContain(id);
  });

  it.each(DOUBLED)("sees that %s is doubled, and names %s", (_what, id, change) => {
    expect(idsOf(change(aWholeRun()))).toContain(id);
  });

  it.each(ALTERED)("sees what was altered: %s, and names %s", (_what, id, change) => {
    expect(idsOf(change(aWholeRun()))).toContain(id);
  });

  it("does not ask an interrupted run for results of calls that were open", () => {
    const whole = aWholeRun();
    const interrupted = { status: "interrupted", stop_reason: "cancelled" } as const;
    const end = { key: "run:end", type: "run.end", data: { ...interrupted, error: null } } as const;
    const snapshot: RunSnapshot = {
      ...whole,
      run: { ...whole.run, ...interrupted },
      messages: whole.messages.slice(0, 3),
      events: [...whole.events.slice(0, -1), { ...whole.events.at(-1)!, ...end }],
    };

    expect(findViolations(snapshot)).toEqual([]);
  });

  it("leaves the messages of earlier turns to the runs that wrote them", () => {
    const whole = aWholeRun();
    const before = { id: "m-0", type: "ai", content: "Before.", usage_metadata: whole.messages[1]!.usage_metadata! };
    const snapshot = { ...whole, messages: [before, ...whole.messages], earlier: new Set(["m-0"]) };

    expect(findViolations(snapshot)).toEqual([]);
  });
});
