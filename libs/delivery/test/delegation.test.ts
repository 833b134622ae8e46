import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { AntlerError, eventKeys, type RunEvent, subjects, ticketSubject } from "@antler/contracts";
import { newId, newTraceContext } from "@antler/platform";
import type { TaskRow } from "@antler/store";

import { aRunRequest, type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import {
  cancelRun,
  createDelegation,
  createKinds,
  type DeliveryDeps,
  type Lease,
  startReconciler,
  startRunWorker,
  startTaskWorker,
  submitRun,
  type TaskOutcome,
  type Worker,
} from "../src/index.ts";
import { completed, type HeldRun, holdRun, requestOf, untilAborted } from "./held-run.ts";

let stack: DeliveryStack;
let lead: DeliveryDeps;
let runner: DeliveryDeps;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack();
  [lead, runner] = await Promise.all([stack.connect(), stack.connect()]);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => stack.stop());

function startRunner(execute: (task: TaskRow, lease: Lease) => Promise<TaskOutcome>, deps = runner): Worker {
  const identity = { id: `runner-${newId()}`, pid: process.pid };
  const worker = startTaskWorker({ ...deps, runner: identity, pools: ["general"], execute });
  closing.push(() => worker.drain(AbortSignal.abort()));
  return worker;
}

function reconcile(): void {
  const reconciler = startReconciler({ ...lead, ...createKinds(lead), holder: newId() });
  closing.push(() => reconciler.stop());
}

async function heldRun(): Promise<HeldRun> {
  const held = await holdRun(lead);
  closing.push(held.release);
  return held;
}

describe("a task", () => {
  it("is executed elsewhere and its outcome comes back with its facts", async () => {
    startRunner(async (task) => completed(`found in ${task.description}`));
    const outcome = await createDelegation(lead).delegate(requestOf(await heldRun()));

    expect(outcome).toMatchObject({
      status: "completed",
      result: "found in look around",
      modelName: "replayed",
      usage: { total_tokens: 15 },
    });
    expect(outcome.resultSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("shows its stored events to the lead in order, each once, the end before the outcome", async () => {
    startRunner(async (task, lease) => {
      for (const n of [1, 2]) {
        const data = {
          task_id: task._id,
          tool_call_id: task.call_id,
          message_index: n,
          round: 0,
          attempt: lease.attempt,
        };
        const key = eventKeys.taskStep(task._id, 0, lease.epoch, n);
        const step = { key, type: "subagent.step", task_id: task._id, data } as const;
        const events = await runner.store.events.append(task.run_id, task.thread_id, [step]);
        runner.bus.signal(subjects.events(task.run_id), { events });
      }
      return completed("done");
    });
    const seen: RunEvent[] = [];
    await createDelegation(lead).delegate(requestOf(await heldRun(), { onEvent: (event) => seen.push(event) }));

    expect(seen.map((event) => event.type)).toEqual([
      "subagent.start",
      "subagent.step",
      "subagent.step",
      "subagent.end",
    ]);
    expect(seen.map((event) => event.seq)).toEqual([...seen.map((event) => event.seq)].sort((a, b) => a - b));
    expect(new Set(seen.map((event) => event.key)).size).toBe(4);
  });

  it("DF-T19 DF-X31 stands once for its call: a lead that comes back finds it and is not charged twice", async () => {
    let executions = 0;
    startRunner(async () => {
      executions += 1;
      return completed("once");
    });
    const held = await heldRun();
    const request = requestOf(held, { callId: "call_1" });
    const { delegate } = createDelegation(lead);

    const outcomes = await Promise.all([delegate(request), delegate(request)]);
    expect(outcomes.map((outcome) => outcome.result)).toEqual(["once", "once"]);
    expect((await delegate(request)).result).toBe("once");
    expect(executions).toBe(1);
    expect((await lead.store.runs.get(held.run._id))?.calls).toEqual(["call_1"]);
    const [task] = await lead.store.tasks.listByRun(held.run._id);
    const log = await lead.store.events.read(held.run._id, { afterSeq: 0, limit: 100 });
    expect(log.filter(({ type }) => type === "subagent.end").map(({ task_id: id }) => id)).toEqual([task?._id]);
  });

  it("beyond the run's total is refused without a row", async () => {
    startRunner(async () => completed("done"));
    const held = await heldRun();
    const { delegate } = createDelegation(lead);
    await delegate(requestOf(held, { maxTotal: 1 }));

    expect(await delegate(requestOf(held, { maxTotal: 1 }))).toMatchObject({ status: "failed", result: null });
    expect(await lead.store.tasks.listByRun(held.run._id)).toHaveLength(1);
  });

  it("is not created for a lead that lost its run", async () => {
    const held = await heldRun();
    const stale = { ...held, lease: { ...held.lease, epoch: 0 } };

    await expect(createDelegation(lead).delegate(requestOf(stale))).rejects.toMatchObject({ code: "lease_lost" });
    expect(await lead.store.tasks.listByRun(held.run._id)).toEqual([]);
  });

  it("goes on when the lead stops waiting", async () => {
    const stopped = new AbortController();
    const open = Promise.withResolvers<undefined>();
    startRunner(async () => {
      stopped.abort(new AntlerError("drained", "The lead drains"));
      await open.promise;
      return completed("kept");
    });
    const held = await heldRun();
    const request = requestOf(held, { callId: "call_kept" });
    const { delegate } = createDelegation(lead);

    await expect(delegate({ ...request, signal: stopped.signal })).rejects.toMatchObject({ code: "drained" });
    open.resolve(undefined);
    expect(await delegate(request)).toMatchObject({ status: "completed", result: "kept" });
  });

  it("fails with its error when the execution throws", async () => {
    startRunner(() => Promise.reject(new Error("boom")));

    expect(await createDelegation(lead).delegate(requestOf(await heldRun()))).toMatchObject({
      status: "failed",
      error: "boom",
      result: null,
      stopReason: "agent_error",
    });
  });

  it("DF-T15 times out with the limit in its error", async () => {
    startRunner((_task, lease) => untilAborted(lease));
    const request = requestOf(await heldRun(), { timeoutSeconds: 1 });

    expect(await createDelegation(lead).delegate(request)).toMatchObject({
      status: "timed_out",
      error: "Execution timed out after 1 seconds",
    });
  });

  it("DF-T16 is cancelled with its run, before the run ends", async () => {
    const started = Promise.withResolvers<undefined>();
    startRunner((_task, lease) => {
      started.resolve(undefined);
      return untilAborted(lease);
    });
    const { run, lease } = await heldRun();
    const outcome = createDelegation(lead).delegate(requestOf({ run, lease }));
    await started.promise;
    const { runs } = createKinds(lead);
    await cancelRun(runs, { tenantId: "default", threadId: run.thread_id, runId: run._id, action: "interrupt" });

    expect(await outcome).toMatchObject({ status: "cancelled", error: "Cancelled by user" });
    expect(await lead.store.runs.get(run._id)).toMatchObject({ status: "running" });
  });

  it("is picked up by the reconciler when its ticket was never published", async () => {
    reconcile();
    startRunner(async () => completed("found"));
    const held = await heldRun();
    const deaf = {
      ...lead,
      bus: { ...lead.bus, publishTicket: () => Promise.reject(new AntlerError("bus_unavailable", "away")) },
    };

    expect(await createDelegation(deaf).delegate(requestOf(held))).toMatchObject({
      status: "completed",
      result: "found",
    });
    expect(await lead.store.tasks.listByRun(held.run._id)).toMatchObject([{ dispatch: 2, attempt: 1 }]);
  });
});

describe("a runner that drains", () => {
  it("hands its task back without a charge, and the next claim has a log of its own", async () => {
    reconcile();
    const started = Promise.withResolvers<undefined>();
    const first = startRunner((_task, lease) => {
      started.resolve(undefined);
      return untilAborted(lease);
    });
    const held = await heldRun();
    const outcome = createDelegation(lead).delegate(requestOf(held));
    await started.promise;
    await first.drain(AbortSignal.abort());
    startRunner(async (task) => completed(`attempt ${task.attempt} of claim ${task.epoch}`));

    expect(await outcome).toMatchObject({ result: "attempt 1 of claim 2" });
    const log = await lead.store.events.read(held.run._id, { afterSeq: 0, limit: 100 });
    const starts = log.filter(({ type }) => type === "subagent.start");
    expect(starts.map(({ data }) => [data["attempt"], data["epoch"]])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});

describe("a run that ends before its tasks", () => {
  it("has its tasks ended first, so that its log is whole", async () => {
    const started = Promise.withResolvers<undefined>();
    startRunner((_task, lease) => {
      started.resolve(undefined);
      return untilAborted(lease);
    });
    const leader = startRunWorker({
      ...lead,
      runner: { id: "leader", pid: process.pid },
      async execute(run, lease) {
        void createDelegation(lead)
          .delegate(requestOf({ run, lease }))
          .catch(() => undefined);
        await started.promise;
        return { status: "error", stop_reason: "agent_error", error: null, output: null };
      },
    });
    closing.push(() => leader.drain(AbortSignal.abort()));
    const run = await submitRun(lead, aRunRequest());

    const log = () => lead.store.events.read(run._id, { afterSeq: 0, limit: 100 });
    await expect.poll(async () => (await log()).at(-1)?.type, { timeout: 15_000 }).toBe("run.end");
    expect((await log()).map(({ type }) => type)).toEqual(["subagent.start", "subagent.end", "run.end"]);
    expect(await lead.store.tasks.listByRun(run._id)).toMatchObject([
      { status: "cancelled", stop_reason: "parent_ended", error: "The run has ended" },
    ]);
  });
});

describe("a runner that dies", () => {
  it("is followed by another attempt, whose events carry it", async () => {
    reconcile();
    const held = await heldRun();
    const outcome = createDelegation(lead).delegate(requestOf(held));
    await expect.poll(() => lead.store.tasks.listByRun(held.run._id)).toHaveLength(1);
    const [task] = await lead.store.tasks.listByRun(held.run._id);
    await lead.store.tasks.claim(task?._id ?? "", { id: newId(), runner_id: "dies", pid: 1 }, 1);
    startRunner(async (row) => completed(`attempt ${row.attempt}`));

    expect(await outcome).toMatchObject({ status: "completed", result: "attempt 2" });
  });
});

describe("messages that are no tickets", () => {
  it.each([
    ["without the fields of one", { not: "a ticket" }, /malformed/],
    ["of another kind of work", { kind: "run", id: newId(), version: 1, dispatch: 1, round: 0 }, /expected a task/],
  ])("are put aside with their reason and never loop: %s", async (_name, message, reason) => {
    startRunner(async () => completed("never"));
    const subject = ticketSubject("general", "interactive");
    const letters = () => lead.store.deadLetters.list({ limit: 100 });
    const before = (await letters()).length;
    lead.bus.signal(subject, message);

    await expect.poll(letters).toHaveLength(before + 1);
    const [letter] = await letters();
    expect(letter).toMatchObject({ stream: "TASKS", subject, payload: JSON.stringify(message) });
    expect(letter?.reason).toMatch(reason);
  });
});

it("carries the trace of its run in ticket and row", async () => {
  const traces: string[] = [];
  startRunner(async (task) => {
    traces.push(task.trace.traceparent);
    return completed("done");
  });
  const trace = newTraceContext();
  const request = requestOf(await heldRun());
  await createDelegation(lead).delegate({ ...request, envelope: { ...request.envelope, trace } });

  expect(traces).toEqual([trace.traceparent]);
});
