import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { isAntlerError, ticketSubject } from "@antler/contracts";
import { newTraceContext } from "@antler/platform";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript, type GatedScriptOptions } from "./stack/gated-script.ts";
import { countUnacknowledged, publishRaw } from "./stack/raw-bus.ts";
import { expectWhole, settledSnapshot } from "./stack/whole-run.ts";
import { leadOf } from "./stack/worker-of.ts";

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 240_000;

function scripted(options?: GatedScriptOptions) {
  const script = gatedScript(options);
  stack.script((request) => script.answer(request));
  return script;
}

/** Publishes the ticket of the run once more, under another message id, so that the bus takes it for a new one. */
async function publishAgain(runId: string, dispatch: number): Promise<void> {
  const ticket = { kind: "run", id: runId, version: 1, dispatch, round: 0 } as const;
  await stack.deps.bus.publishTicket(ticketSubject("lead", "interactive"), ticket, newTraceContext());
}

describe("duplicate delivery", { timeout: CASE_LIMIT_MS }, () => {
  it("of a run that is being led: one execution [FC-B17]", { tags: ["short"] }, async () => {
    const held = scripted().leadCall(0);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await publishAgain(runId, 101);
    await publishAgain(runId, 102);
    await expect.poll(() => unsettled("lead"), { timeout: 30_000 }).toBe(1);
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ epoch: 1, attempt: 1 });
  });

  it("of a run that has ended: acknowledged at once, nothing runs [FC-B14]", async () => {
    scripted();
    const { runId } = await stack.client().startRun();
    await expectWhole(stack.deps.store, runId);
    await publishAgain(runId, 103);
    await expect.poll(() => unsettled("lead"), { timeout: 30_000 }).toBe(0);

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ epoch: 1 });
  });

  it("to two replicas at once: one claims [FC-C07]", async () => {
    const held = scripted().leadCall(0);
    const gate = stack.storeTap.hold("findAndModify", "runs", "runner_id");
    const { runId } = await stack.client().startRun();
    const piece = await gate;
    await publishAgain(runId, 104);
    await held.reached;
    piece.forward();
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ epoch: 1, attempt: 1 });
  });
});

/** Tickets of a lane that were delivered and are not acknowledged. */
async function unsettled(pool: string): Promise<number> {
  const stream = pool === "lead" ? "RUNS" : "TASKS";
  return countUnacknowledged(stack.bus.port, stream, `${pool}_interactive`);
}

describe("a stale lead", { timeout: CASE_LIMIT_MS }, () => {
  it("writes a checkpoint after its lease: refused, and no thread reads it", { tags: ["short"] }, async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const { runId, threadId } = await stack.client().startRun();
    await held.reached;
    const before = await stack.deps.store.runs.get(runId);
    const stale = stack.deps.store.saver({ runId, epoch: 1, claimId: before?.claim?.id ?? "" });
    await stack.fleet.kill(await leadOf(stack, runId));
    await expect
      .poll(async () => (await stack.deps.store.runs.get(runId))?.epoch, { timeout: 60_000, interval: 250 })
      .toBe(2);
    const tuple = await stale.getTuple({ configurable: { thread_id: threadId } });
    const late = { ...tuple!.checkpoint, id: "ffffffff-ffff-6fff-bfff-ffffffffffff" };
    const written = stale.put(tuple!.config, late, { source: "loop", step: 99, parents: {} });

    await expect(written).rejects.toSatisfy((error) => isAntlerError(error, "lease_lost"));
    held.open();
    expect((await expectWhole(stack.deps.store, runId)).run.head).not.toBe(late.id);
  });
});

describe("a poison task", { timeout: CASE_LIMIT_MS }, () => {
  it("that crashes its runner each time fails as lost_worker, and the run goes on [FC-B06]", async () => {
    const script = scripted({ tasks: 1 });
    const crashes: Promise<void>[] = [];
    const crash = async () => {
      const [task] = await stack.deps.store.tasks.find({ status: "running" }, 1);
      await stack.fleet.kill(stack.fleet.byPid(task?.claim?.pid));
      await stack.fleet.heal();
    };
    stack.script((request) => {
      const isTask = !request.tools?.some((tool) => tool.function.name === "task");
      if (isTask) crashes.push(crash());
      return script.answer(request);
    });
    const { runId } = await stack.client().startRun();

    const { tasks } = await settledSnapshot(stack.deps.store, runId);
    await Promise.all(crashes);
    expect(tasks).toMatchObject([{ status: "failed", stop_reason: "lost_worker", attempt: 3 }]);
    await expectWhole(stack.deps.store, runId);
    await expect.poll(() => unsettled("general"), { timeout: 30_000 }).toBe(0);
  });
});

describe("a message of a newer version", { timeout: CASE_LIMIT_MS }, () => {
  it("is handed back while it is young, and keeps nobody from working", async () => {
    await publishRaw(
      stack.bus.port,
      "runs.interactive",
      JSON.stringify({ kind: "run", id: "newer", version: 2, more: true }),
    );
    scripted();
    const { runId } = await stack.client().startRun();

    await expectWhole(stack.deps.store, runId);
    expect(await stack.deps.store.deadLetters.list({ limit: 10 })).toEqual([]);
    expect(await unsettled("lead")).toBe(1);
  });
});

describe("a message that nobody can read", { timeout: CASE_LIMIT_MS }, () => {
  it("becomes a dead letter and is acknowledged", async () => {
    await publishRaw(stack.bus.port, "tasks.general.interactive", "no ticket at all");
    const letters = () => stack.deps.store.deadLetters.list({ limit: 10 });
    await expect.poll(async () => (await letters()).length, { timeout: 30_000 }).toBe(1);

    expect(await letters()).toMatchObject([{ subject: "tasks.general.interactive", payload: "no ticket at all" }]);
    await expect.poll(() => unsettled("general"), { timeout: 30_000 }).toBe(0);
  });
});
