import { isDeepStrictEqual } from "node:util";

import { addUsage, type TokenUsage, type UsageRecord } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

import type { RunSnapshot, StoredMessage } from "./run-snapshot.ts";
import { unless, unlessUnique, type Violation } from "./violation.ts";

/** Every model call is counted once, under the key of a known owner, and the totals are their sum. */
export function checkUsage(snapshot: RunSnapshot): Violation[] {
  const { run, tasks, usage, usageTotal } = snapshot;
  return [
    ...unlessUnique(
      usage.map(({ key }) => key),
      "usage_key",
      "the usage record",
    ),
    ...usage.flatMap((record) => checkOwner(record, snapshot)),
    ...unless(isDeepStrictEqual(sumOf(usage), usageTotal), {
      rule: "usage_total",
      id: run._id,
      problem: `the records sum to ${tokens(sumOf(usage))}, the total is ${tokens(usageTotal)}`,
    }),
    ...tasks.flatMap((task) => checkTaskUsage(task, snapshot)),
    ...checkLeadUsage(snapshot),
  ];
}

function checkOwner(record: UsageRecord, { run, tasks }: RunSnapshot): Violation[] {
  const { key, run_id, task_id } = record;
  const [owner, epoch = "", call = ""] = key.split(":");
  const row = task_id === undefined ? run : tasks.find(({ _id }) => _id === task_id);
  const known = row !== undefined && run_id === run._id && owner === row._id;
  const claimed = Number(epoch) >= 1 && Number(epoch) <= (row?.epoch ?? 0) && Number(call) >= 1;
  const summed = record.total_tokens === record.input_tokens + record.output_tokens;
  return [
    ...unless(known, { rule: "usage_owner", id: key, problem: `the owner is not of run ${run._id}` }),
    ...unless(!known || claimed, { rule: "usage_owner", id: key, problem: "there was no such claim" }),
    ...unless(summed, { rule: "usage_sum", id: key, problem: `the tokens do not add up: ${tokens(record)}` }),
  ];
}

/** The row's usage is that of its last claim; every claim has at least what its steps say. */
function checkTaskUsage(task: TaskRow, { usage, events }: RunSnapshot): Violation[] {
  const own = usage.filter(({ task_id }) => task_id === task._id);
  const last = sumOf(own.filter(({ key }) => key.startsWith(`${task._id}:${task.epoch}:`)));
  const steps = events.filter(({ type, task_id }) => type === "subagent.step" && task_id === task._id);
  const claims = Map.groupBy(steps, ({ data }) => Number(data["epoch"]));
  const told = [...claims].flatMap(([epoch, group]) => {
    const counted = sumOf(own.filter(({ key }) => key.startsWith(`${task._id}:${epoch}:`)))?.total_tokens ?? 0;
    const said = Math.max(0, ...group.map(({ data }) => (data["usage"] as TokenUsage | null)?.total_tokens ?? 0));
    const problem = `claim ${epoch}: the steps say ${said} tokens, the records ${counted}`;
    return unless(counted >= said, { rule: "usage_of_steps", id: task._id, problem });
  });
  return [
    ...unless(task.usage === null || isDeepStrictEqual(last, task.usage), {
      rule: "usage_of_task",
      id: task._id,
      problem: `the row says ${tokens(task.usage)}, the records of its last claim ${tokens(last)}`,
    }),
    ...told,
  ];
}

/** Each answer of the lead that stands in the thread has its record; without a lost claim there are no others. */
function checkLeadUsage({ run, usage, messages, earlier }: RunSnapshot): Violation[] {
  const answers = messages.filter((message) => isCounted(message) && !earlier.has(message.id ?? ""));
  const records = usage.filter(({ caller }) => caller === "lead");
  const unused = new Set(records);
  const missing = answers.filter((answer) => {
    const record = [...unused].find((candidate) => isOf(candidate, answer));
    if (record !== undefined) unused.delete(record);
    return record === undefined;
  });
  const surplus = run.epoch === 1 && run.status === "success" ? [...unused] : [];
  return [
    ...missing.map(({ id = "" }) => ({
      rule: "usage_of_answer",
      id,
      problem: "the lead's answer has no usage record",
    })),
    ...surplus.map(({ key }) => ({ rule: "usage_of_answer", id: key, problem: "no answer of the lead belongs to it" })),
  ];
}

function isCounted({ type, usage_metadata: usage }: StoredMessage): boolean {
  return type === "ai" && (usage?.total_tokens ?? 0) > 0;
}

function isOf(record: UsageRecord, { usage_metadata: usage }: StoredMessage): boolean {
  return record.input_tokens === usage?.input_tokens && record.output_tokens === usage.output_tokens;
}

function sumOf(records: readonly UsageRecord[]): TokenUsage | null {
  return records.reduce<TokenUsage | null>((total, record) => addUsage(total, record), null);
}

function tokens(usage: TokenUsage | null): string {
  return usage === null ? "nothing" : `${usage.input_tokens} + ${usage.output_tokens} = ${usage.total_tokens}`;
}
