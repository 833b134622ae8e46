import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { connectBus } from "../src/index.ts";
import { durables, ensure, generalDurable, publishTasks, silent, startTestServer } from "./bus-test.ts";

const WAIT = { timeout: 10_000, interval: 20 };
const STEADY_LOOKS = 50;

const resources = () => process.getActiveResourcesInfo().toSorted();

/** What the process holds once nothing of the start-up is left: the same in so many looks one after the other. */
async function steadyResources(): Promise<string[]> {
  const looks: string[][] = [];
  const different = () => new Set(looks.slice(-STEADY_LOOKS).map((look) => look.join())).size;
  await expect.poll(() => looks.push(resources()) >= STEADY_LOOKS && different(), WAIT).toBe(1);
  return looks.at(-1) ?? [];
}

test("a run of fifty tasks leaves no pull, subscription, connection or timer", async () => {
  await using server = await startTestServer();
  const { nats, admin } = server;
  const before = await steadyResources();
  const bus = await connectBus({ url: nats.url, name: "leaving", logger: silent });
  await ensure(bus);
  let handled = 0;
  for (const durable of durables())
    bus.startPullLoop({
      durable,
      slots: 4,
      logger: silent,
      handle: async (delivery) => {
        await sleep(5);
        delivery.working();
        await delivery.ack();
        handled += 1;
      },
    });
  bus.subscribe("ctl.cancel.*", () => undefined);
  await publishTasks(bus, 50);
  await expect.poll(() => handled, WAIT).toBe(50);
  await bus.close();
  const info = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(info).toMatchObject({ num_waiting: 0, num_ack_pending: 0, num_pending: 0 });
  await expect.poll(resources, WAIT).toEqual(before);
});

test("pulls come and go without piling up on the server or in the process", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus({ pull: { expiresMs: 1000, heartbeatMs: 500 } });
  await ensure(bus);
  let handled = 0;
  const loop = bus.startPullLoop({
    durable: generalDurable(),
    slots: 4,
    logger: silent,
    handle: async (delivery) => {
      await delivery.ack();
      handled += 1;
    },
  });
  await publishTasks(bus, 300);
  await expect.poll(() => handled, WAIT).toBe(300);
  const info = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(info.num_waiting).toBeLessThanOrEqual(1);
  await loop.stop();
  expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length).toBeLessThan(10);
});

test("closing twice, and closing without a connection, ends soon", async () => {
  await using server = await startTestServer();
  const { nats } = server;
  const bus = await connectBus({ url: nats.url, name: "test", logger: silent });
  await ensure(bus);
  bus.startPullLoop({ durable: generalDurable(), slots: 1, handle: async () => undefined, logger: silent });
  await nats.kill();
  await expect.poll(() => bus.health().ready, WAIT).toBe(false);
  const startedMs = performance.now();
  await bus.close();
  await bus.close();
  expect(performance.now() - startedMs).toBeLessThan(3000);
});

test("flush fails in time when the server is away", async () => {
  await using server = await startTestServer();
  const { nats } = server;
  const bus = await connectBus({ url: nats.url, name: "test", logger: silent });
  await nats.kill();
  await expect.poll(() => bus.health().ready, WAIT).toBe(false);
  await expect(bus.flush()).rejects.toMatchObject({ code: "bus_unavailable" });
  await bus.close();
});

test("a loop stops within seconds, and so does the bus, while the server is frozen", { timeout: 60_000 }, async () => {
  await using server = await startTestServer();
  const { nats } = server;
  const bus = await connectBus({
    url: nats.url,
    name: "frozen",
    logger: silent,
    pull: { expiresMs: 1000, heartbeatMs: 100 },
  });
  await ensure(bus);
  const loop = bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async () => undefined,
  });
  process.kill(nats.pid, "SIGSTOP");
  try {
    await expect.poll(() => bus.health().reasons.join(), WAIT).toContain("heartbeats missed");
    const startedAt = performance.now();
    await loop.stop();
    await bus.close();
    expect(performance.now() - startedAt).toBeLessThan(4000);
  } finally {
    process.kill(nats.pid, "SIGCONT");
  }
});
