import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type RunEvent, taskFrameOf } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { TaskRow } from "@antler/store";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aTaskDraft } from "../../../test/harness/rows.ts";
import { taskDeadlineMs } from "../src/delegation.ts";
import {
  cancelRun,
  createDelegation,
  createKinds,
  type DelegateRequest,
  type DeliveryDeps,
  type Lease,
  startTaskWorker,
} from "../src/index.ts";
import { completed, type HeldRun, holdRun, requestOf, untilAborted } from "./held-run.ts";

let stack: DeliveryStack;
let lead: DeliveryDeps;
let runner: DeliveryDeps;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack({
    delivery: { ack_wait_seconds: 2, lease_seconds: 1.6, renewal_seconds: 0.4, reconcile_seconds: 0.1 },
    subagents: { poll_interval_seconds: 0.2 },
    sandbox: { command_timeout_seconds: 60 },
  });
  [lead, runner] = await Promise.all([stack.connect(), stack.connect()]);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => stack.stop());

async function heldRun(): Promise<HeldRun> {
  const held = await holdRun(lead);
  closing.push(held.release);
  return held;
}

function startRunner(execute: (task: TaskRow, lease: Lease) => Promise<ReturnType<typeof completed>>): void {
  const worker = startTaskWorker({ ...runner, runner: { id: newId(), pid: process.pid }, pools: ["general"], execute });
  closing.push(() => worker.drain(AbortSignal.abort()));
}

/** The task of the request as it stands in the ledger before the lead comes to wait for it. */
async function taskInLedger({ run, envelope }: DelegateRequest, deadlineMs: number): Promise<TaskRow> {
  return lead.store.tasks.insert({
    ...aTaskDraft({ run_id: run._id, thread_id: run.thread_id, call_id: envelope.tool_call_id }),
    execution_limit_ms: 1000,
    deadline_ms: deadlineMs,
  });
}

describe("a lead that waits in vain", () => {
  it("DF-T17 gives the task up at its deadline, with nobody else there to end it", async () => {
    const seen: RunEvent[] = [];
    const request = requestOf(await heldRun(), { onEvent: (event) => seen.push(event) });
    const task = await taskInLedger(request, 500);
    await lead.store.tasks.claim(task._id, { id: newId(), runner_id: "frozen", pid: 1 }, 60_000);

    expect(await createDelegation(lead).delegate(request)).toMatchObject({
      status: "polling_timed_out",
      error: "Task polling timed out after 0 minutes. This may indicate the background task is stuck. Status: running",
      result: null,
    });
    expect(await lead.store.tasks.get(task._id)).toMatchObject({
      status: "timed_out",
      stop_reason: "deadline",
      epoch: 2,
    });
    expect(seen.map(taskFrameOf)).toEqual([
      { type: "task_timed_out", task_id: request.envelope.tool_call_id, usage: null, model_name: task.model_name },
    ]);
  });

  it("DF-T18 is told by name that the task's row is gone, and so is every reader of the log", async () => {
    const seen: RunEvent[] = [];
    const held = await heldRun();
    const request = requestOf(held, { onEvent: (event) => seen.push(event) });
    const callId = request.envelope.tool_call_id;
    const forgetful = { ...lead, store: { ...lead.store, tasks: { ...lead.store.tasks, get: async () => undefined } } };

    expect(await createDelegation(forgetful).delegate(request)).toMatchObject({
      status: "failed",
      error: `Task ${callId} disappeared from background tasks`,
    });
    expect(seen.map(taskFrameOf)).toMatchObject([
      { type: "task_failed", task_id: callId, error: "Task disappeared from background tasks" },
    ]);
    const log = await lead.store.events.read(held.run._id, { afterSeq: 0, limit: 10 });
    expect(log.map(({ type }) => type)).toEqual(["subagent.end"]);
  });

  it("DF-T22 waits for a cancelled task that does not stop no longer than its grace", { timeout: 30_000 }, async () => {
    const started = Promise.withResolvers<undefined>();
    const open = Promise.withResolvers<undefined>();
    closing.push(async () => open.resolve(undefined));
    startRunner(async () => {
      started.resolve(undefined);
      await open.promise;
      return completed("too late");
    });
    const held = await heldRun();
    const outcome = createDelegation(lead).delegate(requestOf(held));
    await started.promise;
    const { runs, tasks } = createKinds(lead);
    const { thread_id: threadId, _id: runId } = held.run;
    await cancelRun(runs, { tenantId: "default", threadId, runId, action: "interrupt" });
    await runs.beforeCancelled(held.run);

    expect(await outcome).toMatchObject({ status: "cancelled", error: "Cancelled by user", result: null });
    open.resolve(undefined);
    expect(await tasks.ledger.listByRun(runId)).toMatchObject([{ status: "cancelled", result: null }]);
  });
});

describe("a lead that stops waiting", () => {
  it("DF-T20 gets the reason of the stop and no outcome; the task goes on", async () => {
    const stop = new AbortController();
    startRunner(async (_task, lease) => {
      stop.abort(new Error("the process ends"));
      return untilAborted(lease);
    });
    const held = await heldRun();

    await expect(createDelegation(lead).delegate(requestOf(held, { signal: stop.signal }))).rejects.toThrow(
      "the process ends",
    );
    expect(await lead.store.tasks.listByRun(held.run._id)).toMatchObject([{ status: "running", cancel: null }]);
  });
});

it.each([
  { seconds: 1, polls: 12 },
  { seconds: 60, polls: 24 },
  { seconds: 300, polls: 72 },
  { seconds: 900, polls: 192 },
  { seconds: 1800, polls: 372 },
])("DF-C15 after the queue, a task of $seconds s is waited for during $polls readings of 5 s", ({ seconds, polls }) => {
  const queueMs = 300_000;
  const waitMs = taskDeadlineMs({ queueMs, executionMs: seconds * 1000 }) - queueMs;

  expect(Math.floor(waitMs / 5000)).toBe(polls);
  expect(waitMs).toBeGreaterThan(seconds * 1000);
});
