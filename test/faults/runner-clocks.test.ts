import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { TaskRow } from "@antler/store";

import { calls, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { countDeliveries, publishRaw } from "./stack/raw-bus.ts";
import { expectWhole } from "./stack/whole-run.ts";

const TEN_MINUTES_MS = 600_000;
const SKEWED_CLOCK = new URL("stack/skewed-clock.mjs", import.meta.url).href;
const TIMEOUT_SECONDS = 5;
const CASE_LIMIT_MS = 180_000;

const hasty = { description: "Works briefly", system_prompt: "You work.", timeout_seconds: TIMEOUT_SECONDS };

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack({
    size: { gateway: 1 },
    // One place in each process, so that two tasks are always two processes' work.
    document: () => ({
      pools: { general: { slots: { interactive: 1 } } },
      subagents: { custom_agents: { hasty } },
    }),
    environment: (_name, place) => ({
      NODE_OPTIONS: `--import ${SKEWED_CLOCK}`,
      CLOCK_SKEW_MS: String(place % 2 === 0 ? TEN_MINUTES_MS : -TEN_MINUTES_MS),
    }),
  });
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const tasksOf = (runId: string) => stack.deps.store.tasks.listByRun(runId);
const executionMs = ({ started_at, ended_at }: TaskRow) => Number(ended_at) - Number(started_at);
const pidsOf = (tasks: readonly TaskRow[]) => new Set(tasks.map(({ claim }) => claim?.pid));

/** Two tasks, one with each runner. */
async function startOnBoth() {
  const script = gatedScript();
  stack.script((request) => script.answer(request));
  const held = script.taskCall(1);
  const { runId } = await stack.client().startRun();
  await expect.poll(async () => pidsOf(await tasksOf(runId)).size, { timeout: 60_000, interval: 100 }).toBe(2);
  await held.reached;
  return { runId, held };
}

describe("runners whose clocks are ten minutes ahead and behind", { timeout: CASE_LIMIT_MS }, () => {
  it("work side by side: nothing expires, and events have one order [FC-E08]", { tags: ["short"] }, async () => {
    const { runId, held } = await startOnBoth();
    held.open();

    const { run, tasks, events } = await expectWhole(stack.deps.store, runId);
    expect([run.epoch, ...tasks.map(({ epoch }) => epoch)]).toEqual([1, 1, 1]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    for (const task of tasks) expect(executionMs(task)).toSatisfy(isWithin(0, CASE_LIMIT_MS));
  });

  it("die: each lease runs out by the store's clock, neither at once nor minutes later [FC-E08]", async () => {
    const { runId, held } = await startOnBoth();
    const killedAtMs = Date.now();
    await Promise.all(stack.fleet.of("subagent-runner").map((runner) => stack.fleet.kill(runner)));
    await stack.fleet.heal();
    held.open();

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(tasks.map(({ attempt }) => attempt)).toEqual([2, 2]);
    for (const { started_at } of tasks) expect(Number(started_at) - killedAtMs).toSatisfy(isWithin(5000, 90_000));
  });

  it("are told to stop after five seconds, and stop after five seconds [FC-E08]", async () => {
    stack.script((request) => (isLead(request) ? hastyLead(request) : new Promise(() => undefined)));
    const { runId } = await stack.client().startRun();

    const { tasks } = await expectWhole(stack.deps.store, runId);
    expect(pidsOf(tasks).size).toBe(2);
    for (const task of tasks) {
      expect(task).toMatchObject({ status: "timed_out", attempt: 1 });
      expect(executionMs(task)).toSatisfy(isWithin(TIMEOUT_SECONDS * 900, TIMEOUT_SECONDS * 1000 + 30_000));
    }
  });

  it("hand back a message of a newer version, which is young by the server's clock [FC-E08]", async () => {
    const { port } = stack.bus;
    const before = await countDeliveries(port, "RUNS", "lead_interactive");
    const newer = JSON.stringify({ kind: "run", id: "newer", version: 2 });
    for (let n = 0; n < 4; n += 1) await publishRaw(port, "runs.interactive", newer);
    const deliveries = async () => (await countDeliveries(port, "RUNS", "lead_interactive")) - before;
    await expect.poll(deliveries, { timeout: 60_000 }).toBeGreaterThanOrEqual(8);

    expect(await stack.deps.store.deadLetters.list({ limit: 10 })).toEqual([]);
  });
});

function isWithin(leastMs: number, mostMs: number): (ms: number) => boolean {
  return (ms) => ms >= leastMs && ms <= mostMs;
}

function hastyLead({ messages }: ModelRequest) {
  if (messages.some(({ role }) => role === "tool")) return says("Done.");
  const ask = (part: number) => ({
    name: "task",
    args: { description: `part ${part}`, prompt: `Look at part ${part}.`, subagent_type: "hasty" },
  });
  return calls(ask(1), ask(2));
}
