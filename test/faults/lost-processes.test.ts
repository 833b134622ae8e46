import { readdir } from "node:fs/promises";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { followStream } from "./stack/follow-stream.ts";
import { gatedScript, type GatedScriptOptions } from "./stack/gated-script.ts";
import { expectWhole } from "./stack/whole-run.ts";
import { freezeUntil, leadOf, taskWorkerOf } from "./stack/worker-of.ts";

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;

/** Keeps a command running in its first execution only; the next one finds the mark and ends at once. */
const commandMarking = (mark: string) => `mkdir /mnt/user-data/workspace/${mark} 2>/dev/null && sleep 600; true`;

/** Starts a run whose one subagent runs a long command, and waits until that has begun. */
async function startInCommand(mark: string): Promise<string> {
  scripted({ tasks: 1, command: commandMarking(mark) });
  const { runId } = await stack.client().startRun();
  const hasBegun = async () =>
    (await readdir(stack.workspacesDir, { recursive: true })).some((path) => path.endsWith(mark));
  await expect.poll(hasBegun, { timeout: 60_000 }).toBe(true);
  return runId;
}

function scripted(options?: GatedScriptOptions) {
  const script = gatedScript(options);
  stack.script((request) => script.answer(request));
  return script;
}

const taskEpochs = async (runId: string) => (await stack.deps.store.tasks.listByRun(runId)).map(({ epoch }) => epoch);
const runEpoch = async (runId: string) => (await stack.deps.store.runs.get(runId))?.epoch ?? 0;

describe("kill -9 of the subagent-runner", { timeout: CASE_LIMIT_MS }, () => {
  it("during its model call [FC-B01]", { tags: ["short"] }, async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await stack.fleet.kill(await taskWorkerOf(stack, runId));
    held.open();

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(Math.max(...tasks.map(({ attempt }) => attempt))).toBe(2);
  });

  it("during its tool call", async () => {
    const runId = await startInCommand("mark-of-kill");
    await stack.fleet.kill(await taskWorkerOf(stack, runId));

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(tasks).toMatchObject([{ status: "completed", attempt: 2 }]);
  });
});

describe("kill -9 of the lead-runner", { timeout: CASE_LIMIT_MS }, () => {
  it("during its first model call", async () => {
    const script = scripted();
    const held = script.leadCall(0);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await stack.fleet.kill(await leadOf(stack, runId));
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ attempt: 2, calls: { length: 2 } });
  });

  it("while it waits for its tasks [FC-A17]", { tags: ["short"] }, async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await stack.fleet.kill(await leadOf(stack, runId));
    held.open();

    const { run, tasks } = await expectWhole(stack.deps.store, runId);
    expect(run).toMatchObject({ attempt: 2 });
    expect(tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it("during its last model call", async () => {
    const script = scripted();
    const held = script.leadCall(2);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await stack.fleet.kill(await leadOf(stack, runId));
    held.open();

    expect((await expectWhole(stack.deps.store, runId)).tasks.map(({ epoch }) => epoch)).toEqual([1, 1]);
  });
});

describe("kill -9 of the gateway", { timeout: CASE_LIMIT_MS }, () => {
  it("while a client reads the stream: it sees every event once elsewhere [FC-D05]", { tags: ["short"] }, async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const ids = await stack.client().startRun();
    const first = stack.client(0);
    const second = stack.client(1);
    const following = followStream((attempt) => (attempt === 0 ? first : second), ids);
    await held.reached;
    await stack.fleet.kill(stack.fleet.of("gateway")[0]!);
    held.open();
    const followed = await following;
    const whole = await followStream(() => second, ids);

    expect(followed.connections).toBeGreaterThan(1);
    expect(followed.ids).toEqual(whole.ids);
    await expectWhole(stack.deps.store, ids.runId);
  });

  it("together with a subagent-runner: the other one's reconciler brings the work back", async () => {
    const script = scripted();
    const held = script.taskCall(0);
    const { runId } = await stack.client().startRun();
    await held.reached;
    const worker = await taskWorkerOf(stack, runId);
    await Promise.all([stack.fleet.kill(stack.fleet.of("gateway")[0]!), stack.fleet.kill(worker)]);
    held.open();

    await expectWhole(stack.deps.store, runId);
  });
});

describe("SIGSTOP past the lease, then SIGCONT", { timeout: CASE_LIMIT_MS }, () => {
  it(
    "of the subagent-runner during its model call: the late worker changes nothing [FC-B16]",
    { tags: ["short"] },
    async () => {
      const script = scripted({ tasks: 1 });
      const held = script.taskCall(1);
      const { runId } = await stack.client().startRun();
      await held.reached;
      const frozen = await taskWorkerOf(stack, runId);
      await freezeUntil(frozen, async () => Math.min(...(await taskEpochs(runId))) === 2);
      held.open();

      const { tasks } = await expectWhole(stack.deps.store, runId);
      expect(tasks).toMatchObject([{ attempt: 2, epoch: 2 }]);
      expect(tasks[0]?.claim?.pid).not.toBe(frozen.pid);
    },
  );

  it("of the subagent-runner during its tool call", async () => {
    const runId = await startInCommand("mark-of-freeze");
    await freezeUntil(await taskWorkerOf(stack, runId), async () => Math.min(...(await taskEpochs(runId))) === 2);

    await expectWhole(stack.deps.store, runId);
  });

  it("of the lead-runner during its model call: the late lead's answer is dropped", async () => {
    const script = scripted();
    const held = script.leadCall(0);
    const { runId } = await stack.client().startRun();
    await held.reached;
    await freezeUntil(await leadOf(stack, runId), async () => (await runEpoch(runId)) === 2);
    held.open();

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(tasks).toHaveLength(2);
  });

  it("of the lead-runner while it waits: the late lead writes no checkpoint [FC-B16]", async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const { runId } = await stack.client().startRun();
    await held.reached;
    const frozen = await leadOf(stack, runId);
    await freezeUntil(frozen, async () => (await runEpoch(runId)) === 2);
    held.open();

    const { run } = await expectWhole(stack.deps.store, runId);
    expect(run.claim?.pid).not.toBe(frozen.pid);
  });

  it("of the gateway that reconciles: the other one takes over", async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const ids = await stack.client(0).startRun();
    const other = stack.client(1);
    const frozen = stack.fleet.of("gateway")[0]!;
    await held.reached;
    await stack.fleet.kill(await taskWorkerOf(stack, ids.runId));
    await freezeUntil(frozen, async () => Math.max(...(await taskEpochs(ids.runId))) === 2);
    held.open();
    const followed = await followStream(() => other, ids);

    expect(followed.ids).toEqual((await followStream(() => other, ids)).ids);
    await expectWhole(stack.deps.store, ids.runId);
  });
});
