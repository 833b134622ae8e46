import { isDeepStrictEqual } from "node:util";

import { isRunTerminal, isTaskTerminal } from "@antler/contracts";
import { delay, monotonicMs } from "@antler/platform";

import type { FaultStack } from "../faults/stack/fault-stack.ts";
import { followStream } from "../faults/stack/follow-stream.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/run-snapshot.ts";
import type { Violation } from "../invariants/violation.ts";
import { clientOf, type LoadedRun } from "./load.ts";

export interface Judgement {
  readonly runs: number;
  readonly tasks: number;
  readonly lost: readonly Violation[];
  readonly doubled: readonly Violation[];
}

/** Rules whose violation means that something stands twice. */
const DOUBLES = new Set([
  "call_once",
  "task_once",
  "log_number",
  "log_key",
  "usage_key",
  "message_once",
  "result_once",
  "stream_once",
]);

const MOST_RUNS = 10_000;

/** Judges every run of the ledger, also those whose client never heard that they were accepted. */
export async function judgeRuns(stack: FaultStack, loaded: readonly LoadedRun[]): Promise<Judgement> {
  const { store } = stack.deps;
  const rows = await store.runs.find({}, MOST_RUNS);
  const known = new Set(rows.map(({ _id }) => _id));
  const violations: Violation[] = loaded
    .filter(({ runId }) => !known.has(runId))
    .map(({ runId }) => ({ rule: "accepted", id: runId, problem: "an accepted run is not in the ledger" }));
  let tasks = 0;
  for (const { _id: id } of rows) {
    const snapshot = await takeSnapshot(store, id);
    tasks += snapshot.tasks.length;
    violations.push(...findViolations(snapshot));
    if (snapshot.run.status !== "success")
      violations.push({ rule: "success", id, problem: `${snapshot.run.status}: ${snapshot.run.error?.message ?? ""}` });
  }
  for (const run of loaded) violations.push(...(await judgeStream(stack, run)));
  return {
    runs: rows.length,
    tasks,
    lost: violations.filter(({ rule }) => !DOUBLES.has(rule)),
    doubled: violations.filter(({ rule }) => DOUBLES.has(rule)),
  };
}

/** What the client saw, in pieces, is what a client sees that reads the stream afterwards. */
async function judgeStream(stack: FaultStack, run: LoadedRun): Promise<Violation[]> {
  const seen = await Promise.race([run.seen, delay(STREAM_LIMIT_MS).then(() => undefined)]);
  if (seen === undefined) return [{ rule: "stream_end", id: run.runId, problem: "the stream did not end" }];
  const { ids } = await followStream((attempt) => clientOf(stack, attempt), run);
  const repeated = seen.filter((id, index) => seen.indexOf(id) !== index);
  return [
    ...repeated.map((id) => ({ rule: "stream_once", id: `${run.runId}#${id}`, problem: "the client saw it twice" })),
    ...(isDeepStrictEqual([...new Set(seen)], ids)
      ? []
      : [{ rule: "stream_whole", id: run.runId, problem: `the client saw ${seen.length} of ${ids.length} events` }]),
  ];
}

const STREAM_LIMIT_MS = 60_000;
const POLL_MS = 500;

/** Waits until nothing is in work any more; false when the time is over before. */
export async function untilSettled({ deps: { store } }: FaultStack, limitMs: number): Promise<boolean> {
  const end = monotonicMs() + limitMs;
  while (monotonicMs() < end) {
    const runs = await store.runs.find({}, MOST_RUNS);
    const tasks = await store.tasks.find({}, MOST_RUNS);
    const open = [
      ...runs.filter((run) => !isRunTerminal(run.status) || run.owed.length > 0),
      ...tasks.filter((task) => !isTaskTerminal(task.status) || task.owed.length > 0),
    ];
    if (open.length === 0) return true;
    await delay(POLL_MS);
  }
  return false;
}
