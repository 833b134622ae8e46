import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { eventKeys, type NewRunEvent, type RunEvent, subjects, taskFrameOf } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { TaskRow } from "@antler/store";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aTaskDraft } from "../../../test/harness/rows.ts";
import {
  cancelRun,
  createDelegation,
  createKinds,
  type DelegateRequest,
  type DeliveryDeps,
  type Lease,
  startTaskWorker,
} from "../src/index.ts";
import { taskDeadlineMs } from "../src/task-draft.ts";
import { completed, type HeldRun, holdRun, requestOf, untilAborted } from "./held-run.ts";

let stack: DeliveryStack;
let lead: DeliveryDeps;
let runner: DeliveryDeps;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack({
    delivery: { ack_wait_seconds: 2, lease_seconds: 1.6, renewal_seconds: 0.4, reconcile_seconds: 0.1 },
    subagents: { poll_interval_seconds: 0.2 },
    pools: { general: { slots: { interactive: 1, batch: 1 } } },
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

  it(
    "DF-T22 DF-X37 waits for a cancelled task no longer than its grace; its place is free once it has let go",
    { timeout: 30_000 },
    async () => {
      const started = Promise.withResolvers<undefined>();
      const open = Promise.withResolvers<undefined>();
      const happened: string[] = [];
      startRunner(async ({ description }) => {
        happened.push(`${description} begins`);
        if (description === "second") return completed("in time");
        started.resolve(undefined);
        await open.promise;
        happened.push("first lets go");
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
      const next = requestOf(await heldRun());
      const second = createDelegation(lead).delegate({
        ...next,
        envelope: { ...next.envelope, description: "second" },
      });
      await expect.poll(() => tasks.ledger.listByRun(next.run._id)).toMatchObject([{ ticket: { dispatch: 1 } }]);
      open.resolve(undefined);

      expect(await second).toMatchObject({ status: "completed", result: "in time" });
      expect(happened).toEqual(["look around begins", "first lets go", "second begins"]);
      expect(await tasks.ledger.listByRun(runId)).toMatchObject([{ status: "cancelled", result: null }]);
    },
  );
});

describe("a lead that watches its task", () => {
  const step = (task: TaskRow, index: number): NewRunEvent => ({
    key: eventKeys.taskStep(task._id, 0, task.epoch, index),
    type: "subagent.step",
    task_id: task._id,
    data: {
      ...{ task_id: task._id, tool_call_id: task.call_id, round: 0, attempt: 1, epoch: task.epoch, kind: "ai" },
      ...{ message_index: index, total_messages: index, text: `${index}`, truncated: false, usage: null },
      model_name: task.model_name,
    },
  });

  it("DF-T4 sees steps numbered on over several readings, none of them twice", async () => {
    const seen: RunEvent[] = [];
    const first = Promise.withResolvers<undefined>();
    startRunner(async (task) => {
      const append = (...indexes: number[]) =>
        runner.store.events.append(
          task.run_id,
          task.thread_id,
          indexes.map((index) => step(task, index)),
        );
      runner.bus.signal(subjects.events(task.run_id), { events: await append(1) });
      await first.promise;
      runner.bus.signal(subjects.events(task.run_id), { events: await append(1, 2, 3) });
      return completed("done");
    });
    const onEvent = (event: RunEvent) => {
      seen.push(event);
      if (event.type === "subagent.step") first.resolve(undefined);
    };
    await createDelegation(lead).delegate(requestOf(await heldRun(), { onEvent }));

    const frames = seen.map(taskFrameOf);
    expect(frames.flatMap((frame) => (frame?.type === "task_running" ? [frame.message_index] : []))).toEqual([1, 2, 3]);
  });

  it("DF-X28 finds result and usage with whatever first tells it that the task has ended", async () => {
    const settled: Promise<TaskRow | undefined>[] = [];
    startRunner(async (task) => {
      const subscription = lead.bus.subscribe(subjects.settled("task", task._id), () => {
        settled.push(lead.store.tasks.get(task._id));
      });
      closing.push(async () => subscription.close());
      return completed("whole");
    });
    await createDelegation(lead).delegate(requestOf(await heldRun()));
    await expect.poll(() => settled.length).toBeGreaterThan(0);

    expect(await settled[0]).toMatchObject({ status: "completed", result: "whole", usage: { total_tokens: 15 } });
  });

  it("DF-X27 refuses an end that is none, and leaves the task as it is", async () => {
    const request = requestOf(await heldRun());
    const task = await taskInLedger(request, 60_000);
    const ending = { status: "running", fields: { result: "x" }, owed: [] };

    await expect(lead.store.tasks.force(task._id, {}, ending)).rejects.toThrow("cannot end with the status running");
    expect(await lead.store.tasks.get(task._id)).toEqual(task);
  });

  it("DF-E13 finds a long result cut and marked in its end, and whole in its outcome", async () => {
    startRunner(async () => completed("x".repeat(9000)));
    const held = await heldRun();
    const outcome = await createDelegation(lead).delegate(requestOf(held));

    const log = await lead.store.events.read(held.run._id, { afterSeq: 0, limit: 10 });
    expect(log.at(-1)).toMatchObject({
      type: "subagent.end",
      data: { result: "x".repeat(8192), result_truncated: true },
    });
    expect(outcome.result).toHaveLength(9000);
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
