import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { ServiceProcess } from "../harness/service-process.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript, type GatedScriptOptions } from "./stack/gated-script.ts";
import { drainSteps, shutdowns, statusOf, stoppedExecutions } from "./stack/service-lines.ts";
import { startTraffic } from "./stack/steady-traffic.ts";
import { expectWhole } from "./stack/whole-run.ts";
import { leadOf, taskWorkerOf } from "./stack/worker-of.ts";

const GRACE_SECONDS = 3;

/** A grace that ends before the work does, and leases that a busy machine does not lose. */
const document = () => ({
  delivery: { drain_grace_seconds: GRACE_SECONDS, lease_seconds: 24, ack_wait_seconds: 30 },
  logging: { level: "debug" },
});

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack({ document, size: { gateway: 1 } });
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;
/** The grace, the time to hand back, and room for a busy machine. */
const END_LIMIT_MS = (GRACE_SECONDS + 4 + 8) * 1000;

function scripted(options?: GatedScriptOptions) {
  const script = gatedScript(options);
  stack.script((request) => script.answer(request));
  return script;
}

/** Ends a service and says after how long it was gone, in milliseconds. */
async function terminate(service: ServiceProcess): Promise<{ code: number | null; afterMs: number }> {
  const startedAt = performance.now();
  service.kill("SIGTERM");
  return { code: await service.exited, afterMs: performance.now() - startedAt };
}

describe("SIGTERM under steady traffic", { timeout: CASE_LIMIT_MS }, () => {
  it.each(["lead-runner", "subagent-runner"] as const)(
    "to a %s: every run ends whole and no attempt is charged",
    async (name) => {
      scripted({ tasks: 1 });
      const traffic = startTraffic({ gateways: [stack.client()], clients: 3 });
      await traffic.more(3);
      const services = [...stack.fleet.of("lead-runner"), ...stack.fleet.of("subagent-runner")];
      const { code } = await terminate(stack.fleet.of(name)[0]!);
      await traffic.more(3);
      const runIds = await traffic.stop();

      expect(code).toBe(0);
      expect(traffic.faults).toEqual([]);
      for (const runId of runIds) {
        const { run, tasks } = await expectWhole(stack.deps.store, runId);
        expect(
          [run, ...tasks].map(({ attempt }) => attempt),
          stoppedExecutions(services).join("\n"),
        ).toEqual([1, 1]);
      }
    },
  );
});

describe("SIGTERM with work that is longer than the grace", { timeout: CASE_LIMIT_MS }, () => {
  it("to the subagent-runner: its tasks alone are executed again, at once and without a charge [FC-B01] [FC-I03]", async () => {
    const script = scripted();
    const held = script.taskCall(1);
    const { runId } = await stack.client().startRun();
    await held.reached;
    const tasks = () => stack.deps.store.tasks.listByRun(runId);
    await expect.poll(async () => (await tasks()).map(({ epoch }) => epoch), { timeout: 30_000 }).toEqual([1, 1]);
    const draining = await taskWorkerOf(stack, runId);
    const expected = (await tasks()).map(({ claim }) => (claim?.pid === draining.pid ? 2 : 1));
    const ended = terminate(draining);

    await expect.poll(() => statusOf(draining, "/readyz")).toBe(503);
    expect(await statusOf(draining, "/livez")).toBe(200);
    await expect.poll(async () => (await tasks()).map(({ epoch }) => epoch), { timeout: 30_000 }).toEqual(expected);
    held.open();
    expect(await ended).toMatchObject({ code: 0 });
    expect(shutdowns(draining)).toMatchObject([{ from: "ready", to: "draining", reason: "SIGTERM" }]);
    expect(drainSteps(draining)).toEqual(["worker", "mcp", "models", "workspaces", "bus", "store", "health"]);
    const whole = await expectWhole(stack.deps.store, runId);
    expect(whole.tasks.map(({ attempt, epoch }) => ({ attempt, epoch }))).toEqual(
      expected.map((epoch) => ({ attempt: 1, epoch })),
    );
  });

  it.each(["its last model call", "its tasks"] as const)(
    "to the lead-runner that waits for %s: another one goes on, and no task is executed again",
    async (awaited) => {
      const script = scripted();
      const held = awaited === "its tasks" ? script.taskCall(1) : script.leadCall(2);
      const { runId } = await stack.client().startRun();
      await held.reached;
      const draining = await leadOf(stack, runId);

      expect(await terminate(draining)).toMatchObject({ code: 0 });
      held.open();
      const { run, tasks } = await expectWhole(stack.deps.store, runId);
      expect(run).toMatchObject({ attempt: 1, epoch: 2, calls: { length: 2 } });
      expect(tasks.map(({ attempt, epoch }) => [attempt, epoch])).toEqual([
        [1, 1],
        [1, 1],
      ]);
    },
  );
});

describe("SIGTERM to the gateway and the runners of a run", { timeout: CASE_LIMIT_MS }, () => {
  it.each(["store", "bus"] as const)("while the %s is away: they end in time with code 0", async (server) => {
    const tap = server === "store" ? stack.storeTap : stack.busTap;
    const script = scripted({ tasks: 1 });
    const held = script.taskCall(1);
    const { runId } = await stack.client().startRun();
    await held.reached;
    const [gateway] = stack.fleet.of("gateway");
    const services = [gateway!, await leadOf(stack, runId), await taskWorkerOf(stack, runId)];
    await tap.refuse();
    const ends = await Promise.all(services.map(terminate));
    await tap.accept();

    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(Math.max(...ends.map(({ afterMs }) => afterMs))).toBeLessThan(END_LIMIT_MS);
    await stack.fleet.heal();
    held.open();
    await expectWhole(stack.deps.store, runId);
  });
});
