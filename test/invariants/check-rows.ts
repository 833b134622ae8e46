import { createHash } from "node:crypto";

import { isRunTerminal, isTaskTerminal, type StopReason } from "@antler/contracts";
import type { RunRow, TaskRow, WorkRow } from "@antler/store";

import type { RunSnapshot } from "./run-snapshot.ts";
import { unless, unlessUnique, type Violation } from "./violation.ts";

/** Reasons with which a run or task may count as done. */
const GOOD_REASONS: readonly (StopReason | null)[] = [
  "completed",
  "turn_capped",
  "token_capped",
  "loop_capped",
  "safety_capped",
  "model_length_capped",
  "subagent_limit_capped",
];

/** The run's row is terminal, says why, and holds nothing any more. */
export function checkRunRow({ run }: RunSnapshot): Violation[] {
  const id = run._id;
  return [
    ...unless(isRunTerminal(run.status), { rule: "run_ended", id, problem: `the run is ${run.status}` }),
    ...unless(run.status !== "success" || GOOD_REASONS.includes(run.stop_reason), reasonOf(run)),
    ...unless(run.lock === undefined, { rule: "thread_free", id, problem: `the run still holds ${run.lock ?? ""}` }),
    ...checkEnded(run),
  ];
}

/** Every task is terminal, says why, holds nothing, and has a result exactly when it completed. */
export function checkTaskRows({ run, tasks }: RunSnapshot): Violation[] {
  return tasks.flatMap((task) => {
    const id = task._id;
    return [
      ...unless(isTaskTerminal(task.status), { rule: "task_ended", id, problem: `the task is ${task.status}` }),
      ...unless(task.run_id === run._id && task.thread_id === run.thread_id, {
        rule: "task_of_run",
        id,
        problem: `the task names run ${task.run_id} and thread ${task.thread_id}`,
      }),
      ...unless((task.status === "completed") === GOOD_REASONS.includes(task.stop_reason), reasonOf(task)),
      ...checkResult(task),
      ...checkEnded(task),
    ];
  });
}

/** Every admitted call has one task, every task an admitted call. */
export function checkCalls({ run, tasks, messages }: RunSnapshot): Violation[] {
  const rows = tasks.map(({ call_id }) => call_id);
  const refused = new Set(messages.filter(isRefusal).map(({ tool_call_id }) => tool_call_id));
  const missing = run.calls.filter((call) => !rows.includes(call) && !refused.has(call));
  return [
    ...unlessUnique(run.calls, "call_once", "the admitted call"),
    ...unlessUnique(rows, "task_of_call", "the task of the call"),
    ...unlessUnique(
      tasks.map(({ _id }) => _id),
      "task_once",
      "the task",
    ),
    ...(run.status === "success" ? missing : []).map((id) => ({
      rule: "task_of_call",
      id,
      problem: "the admitted call has no task",
    })),
    ...rows
      .filter((call) => !run.calls.includes(call))
      .map((id) => ({ rule: "call_admitted", id, problem: "the task's call was never admitted" })),
  ];
}

/** A call that was answered before it had a task: the lane was full. */
function isRefusal({ type, additional_kwargs: facts }: RunSnapshot["messages"][number]): boolean {
  return type === "tool" && facts?.["subagent_status"] !== "completed";
}

function checkEnded(row: RunRow | TaskRow): Violation[] {
  const id = row._id;
  return [
    ...unless(row.stop_reason !== null, { rule: "says_why", id, problem: "there is no stop_reason" }),
    ...unless(row.ended_at !== null, { rule: "says_when", id, problem: "there is no ended_at" }),
    ...unless(row.owed.length === 0, { rule: "nothing_owed", id, problem: `still owed: ${row.owed.join(", ")}` }),
    ...unless(row.lease_until === null, { rule: "no_lease", id, problem: "the row still has a lease" }),
    ...checkCounters(row),
  ];
}

function checkCounters({ _id: id, attempt, epoch, max_attempts, dispatch }: WorkRow): Violation[] {
  const problem = `attempt ${attempt} of ${max_attempts}, epoch ${epoch}, dispatch ${dispatch}`;
  const plausible = attempt >= 0 && attempt <= max_attempts && attempt <= epoch && dispatch >= 1;
  return unless(plausible, { rule: "counters", id, problem });
}

function checkResult({ _id: id, status, result, result_sha256 }: TaskRow): Violation[] {
  const digest = result === null ? null : createHash("sha256").update(result, "utf8").digest("hex");
  return [
    ...unless((status === "completed") === (result !== null), {
      rule: "result",
      id,
      problem: `the task is ${status} and has ${result === null ? "no" : "a"} result`,
    }),
    ...unless(digest === result_sha256, { rule: "result", id, problem: "result and result_sha256 differ" }),
  ];
}

function reasonOf({ _id: id, status, stop_reason }: RunRow | TaskRow): Violation {
  return { rule: "says_why", id, problem: `${status} with stop_reason ${stop_reason ?? "null"}` };
}
