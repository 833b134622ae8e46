import { expect } from "vitest";

import { isRunTerminal, isTaskTerminal } from "@antler/contracts";
import type { Store } from "@antler/store";

import { findViolations } from "../../invariants/find-violations.ts";
import { type RunSnapshot, takeSnapshot } from "../../invariants/run-snapshot.ts";

const END_LIMIT_MS = 120_000;

/** What is kept of the run, once nothing about it will change any more. */
export async function settledSnapshot(store: Store, runId: string): Promise<RunSnapshot> {
  await expect.poll(() => stateOf(store, runId), { timeout: END_LIMIT_MS, interval: 250 }).toBe("settled");
  return takeSnapshot(store, runId);
}

/** Waits for the end of the run and judges it: nothing lost, nothing doubled. */
export async function expectWhole(store: Store, runId: string, status = "success"): Promise<RunSnapshot> {
  const snapshot = await settledSnapshot(store, runId);
  expect(findViolations(snapshot)).toEqual([]);
  expect({ status: snapshot.run.status, error: snapshot.run.error }).toMatchObject({ status });
  return snapshot;
}

async function stateOf(store: Store, runId: string): Promise<string> {
  const run = await store.runs.get(runId).catch(() => undefined);
  if (run === undefined) return "unknown";
  if (!isRunTerminal(run.status) || run.owed.length > 0) return `run ${run.status}, owes ${run.owed.join()}`;
  const open = (await store.tasks.listByRun(runId)).filter(
    (task) => !isTaskTerminal(task.status) || task.owed.length > 0,
  );
  return open.length === 0 ? "settled" : `${open.length} tasks are open`;
}
