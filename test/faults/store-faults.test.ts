import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { delay } from "@antler/platform";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { expectWhole } from "./stack/whole-run.ts";

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, 300_000);
afterEach(async () => {
  stack.storeTap.slow(0);
  await stack.fleet.heal();
}, 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;

async function startHeld() {
  const script = gatedScript();
  stack.script((request) => script.answer(request));
  const held = script.taskCall(1);
  const ids = await stack.client().startRun();
  await held.reached;
  return { ...ids, held };
}

describe("the document store killed and started again on its data", { timeout: CASE_LIMIT_MS }, () => {
  it("while tasks work: no attempt is lost [FC-B07]", { tags: ["short"] }, async () => {
    const { runId, held } = await startHeld();
    await stack.store.kill();
    held.open();
    await stack.store.restart();

    const { run, tasks } = await expectWhole(stack.deps.store, runId);
    expect(run.status).toBe("success");
    expect(tasks).toHaveLength(2);
  });
});

describe("the document store refuses connections for 5 s", { timeout: CASE_LIMIT_MS }, () => {
  it("while tasks work: infrastructure faults cost no attempt [FC-B07]", { tags: ["short"] }, async () => {
    const { runId, held } = await startHeld();
    await stack.storeTap.refuse();
    held.open();
    await delay(5000);
    await stack.storeTap.accept();

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it("while runs wait for a lead", async () => {
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const { runId } = await stack.client().startRun();
    await stack.storeTap.refuse();
    await delay(5000);
    await stack.storeTap.accept();

    await expectWhole(stack.deps.store, runId);
  });
});

describe("the document store is slow", { timeout: CASE_LIMIT_MS }, () => {
  it("by 200 ms for each command: nothing is executed twice", async () => {
    stack.storeTap.slow(200);
    const { runId, held } = await startHeld();
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

describe("the answer to a write is lost", { timeout: CASE_LIMIT_MS }, () => {
  it("of a result: the worker finds its own and does not write a second one", async () => {
    const lost = stack.storeTap.hold("findAndModify", "tasks", "result_sha256", "completed");
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const { runId } = await stack.client().startRun();
    (await lost).forwardWithoutReply();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1, epoch: 1 }]);
  });

  it("of a claim, and the store is away for 5 s: the worker finds its own and works on [FC-B07]", async () => {
    const lost = stack.storeTap.hold("findAndModify", "tasks", "runner_id");
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const { runId } = await stack.client().startRun();
    (await lost).forwardWithoutReply();
    const { tasks } = stack.deps.store;
    await expect.poll(() => tasks.listByRun(runId)).toMatchObject([{ status: "running" }]);
    await stack.storeTap.refuse();
    await delay(5000);
    await stack.storeTap.accept();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1, epoch: 1 }]);
  });

  it("of a claim: the worker finds its own and works on", async () => {
    const lost = stack.storeTap.hold("findAndModify", "tasks", "runner_id");
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const { runId } = await stack.client().startRun();
    (await lost).forwardWithoutReply();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ status: "completed" }]);
  });
});
