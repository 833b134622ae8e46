import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { expectWhole } from "./stack/whole-run.ts";

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;

async function startHeld(moment: "lead" | "task") {
  const script = gatedScript();
  stack.script((request) => script.answer(request));
  const held = moment === "lead" ? script.leadCall(0) : script.taskCall(1);
  const { runId } = await stack.client().startRun();
  await held.reached;
  return { runId, held };
}

describe("NATS killed and started again on its data", { timeout: CASE_LIMIT_MS }, () => {
  it("while tasks work: they are not executed again [FC-A34]", { tags: ["short"] }, async () => {
    const { runId, held } = await startHeld("task");
    await stack.bus.kill();
    await stack.bus.restart();
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it("and away while the lead delegates: the tickets are published later", async () => {
    const { runId, held } = await startHeld("lead");
    await stack.bus.kill();
    held.open();
    await expect.poll(async () => (await stack.deps.store.tasks.listByRun(runId)).length, { timeout: 60_000 }).toBe(2);
    await stack.bus.restart();

    await expectWhole(stack.deps.store, runId);
  });

  it("while runs are accepted one after the other: each of them ends [FC-B11]", async () => {
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const accepted: Promise<{ runId: string }>[] = [];
    for (let n = 0; n < 8; n += 1) {
      accepted.push(stack.client().startRun());
      if (n === 3) await stack.bus.kill().then(() => stack.bus.restart());
    }

    for (const { runId } of await Promise.all(accepted)) await expectWhole(stack.deps.store, runId);
  });
});

describe("NATS started again without its data", { timeout: CASE_LIMIT_MS }, () => {
  it("while tasks work and a run waits: streams and tickets are made anew [FC-B08]", { tags: ["short"] }, async () => {
    const { runId, held } = await startHeld("task");
    await stack.bus.kill();
    const waiting = stack.client().startRun();
    await stack.bus.restart({ withoutData: true });
    held.open();

    await expectWhole(stack.deps.store, runId);
    await expectWhole(stack.deps.store, (await waiting).runId);
  });
});

describe("NATS frozen", { timeout: CASE_LIMIT_MS }, () => {
  it("for 20 s while tasks work: they go on under their leases", async () => {
    const { runId, held } = await startHeld("task");
    process.kill(stack.bus.pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    process.kill(stack.bus.pid, "SIGCONT");
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});
