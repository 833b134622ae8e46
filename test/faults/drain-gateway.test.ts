import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { followStream } from "./stack/follow-stream.ts";
import { gatedScript, type GatedScriptOptions } from "./stack/gated-script.ts";
import { drainSteps, shutdowns, stoppedExecutions } from "./stack/service-lines.ts";
import { startTraffic } from "./stack/steady-traffic.ts";
import { expectWhole } from "./stack/whole-run.ts";

/** Leases that a busy machine does not lose: what is charged then is charged by the drain. */
const document = () => ({ delivery: { lease_seconds: 24, ack_wait_seconds: 30 }, logging: { level: "debug" } });

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack({ document, size: { "lead-runner": 1, "subagent-runner": 1 } });
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;
/** The notice and the closing of everything, with room for a busy machine; far less than the grace of 60 s. */
const END_LIMIT_MS = 20_000;

function scripted(options?: GatedScriptOptions) {
  const script = gatedScript(options);
  stack.script((model) => script.answer(model));
  return script;
}

/** A client with one connection, which it keeps. */
function keepAliveClient(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (path: string) => {
    const sent = request({ host: "127.0.0.1", port, path, agent }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return { status: response.statusCode, connection: response.headers.connection, reused: sent.reusedSocket };
  };
}

describe("SIGTERM to the gateway", { timeout: CASE_LIMIT_MS }, () => {
  it("under steady traffic: no request is cut off, and every run ends whole", async () => {
    scripted({ tasks: 1 });
    const traffic = startTraffic({ gateways: [stack.client(0), stack.client(1)], clients: 3 });
    await traffic.more(3);
    const [draining] = stack.fleet.of("gateway");
    draining!.kill("SIGTERM");
    const code = await draining!.exited;
    await traffic.more(3);
    const runIds = await traffic.stop();

    expect(code).toBe(0);
    expect(traffic.faults).toEqual([]);
    expect(traffic.moves).toBeGreaterThan(0);
    for (const runId of runIds) {
      const { run, tasks } = await expectWhole(stack.deps.store, runId);
      const why = stoppedExecutions([...stack.fleet.of("lead-runner"), ...stack.fleet.of("subagent-runner")]).join(
        "\n",
      );
      expect(
        [run, ...tasks].map(({ attempt }) => attempt),
        why,
      ).toEqual([1, 1]);
    }
  });

  it("with open streams and a waiting request: streams go on elsewhere, the request has its answer [FC-D08]", async () => {
    const held = scripted({ tasks: 1 }).taskCall(1);
    const [draining] = stack.fleet.of("gateway");
    const first = stack.client(0);
    const second = stack.client(1);
    const ids = await first.startRun();
    const waiting = waitFor(first);
    const followings = [0, 1, 2].map(() => followStream((attempt) => (attempt === 0 ? first : second), ids));
    await held.reached;
    await expect.poll(() => openResponses(draining!.port), { timeout: 30_000 }).toBe(4);
    draining!.kill("SIGTERM");
    await expect.poll(() => openResponses(stack.fleet.of("gateway").at(-1)!.port), { timeout: 30_000 }).toBe(3);
    held.open();
    const followed = await Promise.all(followings);

    expect(await waiting).toMatchObject({ status: 200, body: { messages: expect.any(Array) as unknown[] } });
    expect(await draining!.exited).toBe(0);
    expect(drainSteps(draining!)).toEqual(["http", "reconciler", "workspaces", "bus", "store"]);
    const whole = await followStream(() => second, ids);
    for (const { connections, ids: seen } of followed) {
      expect(connections).toBe(2);
      expect(seen).toEqual(whole.ids);
    }
    await expectWhole(stack.deps.store, ids.runId);
  });

  it("twice within 100 ms, with kept connections: one drain, which serves them to their end [FC-D11] [FC-I05]", async () => {
    const [draining] = stack.fleet.of("gateway");
    const idle = keepAliveClient(draining!.port);
    const asking = keepAliveClient(draining!.port);
    expect(await idle("/ok")).toMatchObject({ status: 200, connection: "keep-alive" });
    expect(await asking("/ok")).toMatchObject({ status: 200, connection: "keep-alive" });
    const startedAt = performance.now();
    draining!.kill("SIGTERM");
    await expect.poll(() => shutdowns(draining!).length, { interval: 5 }).toBe(1);
    draining!.kill("SIGTERM");

    expect(await asking("/readyz")).toEqual({ status: 503, connection: "close", reused: true });
    expect(await draining!.exited).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(END_LIMIT_MS);
    expect(shutdowns(draining!)).toHaveLength(1);
    await expect(asking("/ok")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

/** A run on a thread of its own, and the answer with its end. */
async function waitFor(client: ReturnType<FaultStack["client"]>) {
  const { thread_id } = (await client.post("/threads")).body as { thread_id: string };
  const input = { messages: [{ role: "user", content: "Survey the workspace." }] };
  return client.post(`/threads/${thread_id}/runs/wait`, { assistant_id: "lead", input });
}

/** How many streams and waits a gateway has open. */
async function openResponses(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^antler_http_open_responses (\d+)$/m.exec(text)?.[1]);
}
