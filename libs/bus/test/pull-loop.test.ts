import { expect, test, vi } from "vitest";

import { delay, newTraceContext } from "@antler/platform";

import type { Delivery } from "../src/index.ts";
import {
  createHeldWork,
  durables,
  ensure,
  GENERAL,
  generalDurable,
  publishTasks,
  silent,
  startTestServer,
  taskTicket,
} from "./bus-test.ts";

const WAIT = { timeout: 15_000, interval: 20 };
/** The server deletes consumers that are not durable after 5 s without a pull. */
const BEYOND_IDLE_CONSUMER_MS = 6000;

test("hands out text, place, headers, trace and age of a ticket", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await ensure(bus);
  const ticket = taskTicket();
  const trace = newTraceContext();
  const { seq } = await bus.publishTicket(GENERAL, ticket, trace);
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      resolve(delivery);
      await delivery.ack();
    },
  });
  const delivery = await promise;
  expect(JSON.parse(delivery.text)).toEqual(ticket);
  expect(delivery).toMatchObject({ subject: GENERAL, stream: "TASKS", streamSeq: seq, deliveryCount: 1, trace });
  expect(delivery.headers["Nats-Msg-Id"]).toBe(`${ticket.id}:1`);
  expect(await delivery.ageMs()).toBeGreaterThanOrEqual(0);
  expect(await delivery.ageMs()).toBeLessThan(30_000);
});

test("takes no more than its slots and leaves the others' share alone", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  await publishTasks(bus, 5);
  const work = createHeldWork();
  const loop = bus.startPullLoop({ durable: generalDurable(), slots: 2, handle: work.handle, logger: silent });
  await expect.poll(() => loop.inHand, WAIT).toBe(2);
  await bus.flush();
  const info = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect({ inHand: loop.inHand, unacked: info.num_ack_pending, pending: info.num_pending }).toEqual({
    inHand: 2,
    unacked: 2,
    pending: 3,
  });
  expect(info.num_waiting).toBe(0);
});

test("tickets that wait longer than their time for the acknowledgement are delivered once each [FC-B02]", async () => {
  await using server = await startTestServer();
  const publisher = await server.openBus();
  const specs = durables(8, 2000);
  await ensure(publisher, specs);
  await publishTasks(publisher, 5);
  const deliveries: string[] = [];
  const startRunner = async () => {
    const bus = await server.openBus();
    const handle = async (delivery: Delivery) => {
      deliveries.push(`${delivery.streamSeq}.${delivery.deliveryCount}`);
      await delay(1500);
      await delivery.ack();
    };
    return bus.startPullLoop({ durable: generalDurable(8, 2000), slots: 1, handle, logger: silent });
  };
  const loops = await Promise.all([startRunner(), startRunner()]);
  const info = () => server.admin.manager.consumers.info("TASKS", "general_interactive");
  const held: number[] = [];
  await expect
    .poll(async () => (held.push((await info()).num_ack_pending), (await info()).ack_floor.stream_seq), WAIT)
    .toBe(5);
  expect(Math.max(...held)).toBe(2);
  expect(deliveries.toSorted()).toEqual(["1.1", "2.1", "3.1", "4.1", "5.1"]);
  await Promise.all(loops.map((loop) => loop.stop()));
});

test("tickets that wait while no process pulls are delivered once by whoever comes [FC-B09]", async () => {
  await using server = await startTestServer();
  const publisher = await server.openBus();
  await ensure(publisher);
  const info = () => server.admin.manager.consumers.info("TASKS", "general_interactive");
  const { created } = await info();
  await publishTasks(publisher, 3);
  await delay(BEYOND_IDLE_CONSUMER_MS);
  const bus = await server.openBus();
  await ensure(bus);
  const deliveries: string[] = [];
  const handle = async (delivery: Delivery) => {
    deliveries.push(`${delivery.streamSeq}.${delivery.deliveryCount}`);
    await delivery.ack();
  };
  bus.startPullLoop({ durable: generalDurable(), slots: 1, handle, logger: silent });
  await expect.poll(async () => (await info()).ack_floor.stream_seq, WAIT).toBe(3);
  expect((await info()).created).toBe(created);
  expect(deliveries).toEqual(["1.1", "2.1", "3.1"]);
});

test("the age of a ticket is the server's, whatever the clock of the process says", async () => {
  await using server = await startTestServer();
  const bus = await server.openBus();
  await ensure(bus);
  await publishTasks(bus, 1);
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const handle = async (delivery: Delivery) => {
    resolve(delivery);
    await delivery.ack();
  };
  bus.startPullLoop({ durable: generalDurable(), slots: 1, logger: silent, handle });
  const delivery = await promise;
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 600_000);
  const ageMs = await delivery.ageMs();
  clock.mockRestore();
  expect(ageMs).toBeGreaterThanOrEqual(0);
  expect(ageMs).toBeLessThan(30_000);
});

test("the durable bounds what runs in all processes together, and follows a raised bound at once", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const publisher = await openBus();
  await ensure(publisher, durables(2));
  await publishTasks(publisher, 12);
  const work = createHeldWork();
  const buses = await Promise.all([openBus(), openBus(), openBus()]);
  const durable = generalDurable(2);
  const loops = buses.map((bus) => bus.startPullLoop({ durable, slots: 4, handle: work.handle, logger: silent }));
  await expect.poll(() => work.held.length, WAIT).toBe(2);
  for (let round = 0; round < 4; round++) {
    const before = work.started;
    work.held[0]?.finish();
    await expect.poll(() => work.started, WAIT).toBe(before + 1);
    expect(work.held.length).toBeLessThanOrEqual(2);
  }
  const changes = await publisher.applyTopology([], durables(6));
  expect(changes).toMatchObject([{ name: "general_interactive", action: "updated" }]);
  await expect.poll(() => work.held.length, WAIT).toBe(6);
  while (work.started < 12 || work.held.length > 0) {
    expect(work.held.length).toBeLessThanOrEqual(6);
    work.held[0]?.finish();
    await publisher.flush();
  }
  expect(work.started).toBe(12);
  await Promise.all(loops.map((loop) => loop.idle()));
});

test("work spreads over the processes that have free slots", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const publisher = await openBus();
  await ensure(publisher, durables(6));
  const work = createHeldWork();
  const buses = await Promise.all([openBus(), openBus(), openBus()]);
  const durable = generalDurable(6);
  const loops = buses.map((bus) => bus.startPullLoop({ durable, slots: 4, handle: work.handle, logger: silent }));
  await expect
    .poll(async () => (await admin.manager.consumers.info("TASKS", "general_interactive")).num_waiting, WAIT)
    .toBe(3);
  await publishTasks(publisher, 3);
  await expect.poll(() => work.held.length, WAIT).toBe(3);
  expect(loops.map((loop) => loop.inHand)).toEqual([1, 1, 1]);
  for (const { finish } of [...work.held]) finish();
});

test("a ticket whose worker falls silent is delivered again; working() holds it", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await ensure(bus, durables(8, 1000));
  await publishTasks(bus, 2);
  const counts = new Map<number, number>();
  const beats: NodeJS.Timeout[] = [];
  bus.startPullLoop({
    durable: generalDurable(8, 1000),
    slots: 4,
    logger: silent,
    handle: async (delivery) => {
      counts.set(delivery.streamSeq, delivery.deliveryCount);
      if (delivery.streamSeq === 1) beats.push(setInterval(() => delivery.working(), 300));
      else if (delivery.deliveryCount === 3) await delivery.ack();
    },
  });
  await expect.poll(() => counts.get(2), WAIT).toBe(3);
  expect(counts.get(1)).toBe(1);
  for (const beat of beats) clearInterval(beat);
  await expect.poll(() => counts.get(1), WAIT).toBe(2);
});

test("a ticket that is handed back comes again after the delay, at once without one", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await ensure(bus);
  await publishTasks(bus, 1);
  const times: number[] = [];
  bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      times.push(performance.now());
      if (times.length === 1) delivery.nak();
      else if (times.length === 2) delivery.nak(700);
      else await delivery.ack();
    },
  });
  await expect.poll(() => times.length, WAIT).toBe(3);
  const [first = 0, second = 0, third = 0] = times;
  expect(second - first).toBeLessThan(600);
  expect(third - second).toBeGreaterThanOrEqual(690);
});

test("a handler that throws gives its ticket back for a second or two, and the loop goes on", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await ensure(bus);
  await publishTasks(bus, 2);
  const seen: { seq: number; atMs: number }[] = [];
  bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      seen.push({ seq: delivery.streamSeq, atMs: performance.now() });
      if (seen.length === 1) throw new Error("Handler fault");
      await delivery.ack();
    },
  });
  await expect.poll(() => seen.map(({ seq }) => seq), WAIT).toEqual([1, 2, 1]);
  expect(seen[2]!.atMs - seen[0]!.atMs).toBeGreaterThanOrEqual(990);
});

test("only the first answer to a delivery counts", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  await publishTasks(bus, 1);
  let deliveries = 0;
  const loop = bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      deliveries += 1;
      await delivery.ack();
      delivery.nak();
      delivery.working();
      await delivery.ack();
    },
  });
  await expect.poll(() => deliveries, WAIT).toBe(1);
  await loop.idle();
  await bus.flush();
  const info = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect({ deliveries, unacked: info.num_ack_pending, floor: info.ack_floor.stream_seq }).toEqual({
    deliveries: 1,
    unacked: 0,
    floor: 1,
  });
});

test("stop ends pulling at once, lets handlers finish, and leaves no pull on the server", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  await publishTasks(bus, 1);
  const work = createHeldWork();
  const loop = bus.startPullLoop({ durable: generalDurable(), slots: 2, handle: work.handle, logger: silent });
  await expect.poll(() => loop.inHand, WAIT).toBe(1);
  const info = () => admin.manager.consumers.info("TASKS", "general_interactive");
  await expect.poll(async () => (await info()).num_waiting, WAIT).toBe(1);
  const startedMs = performance.now();
  await loop.stop();
  expect(performance.now() - startedMs).toBeLessThan(500);
  await publishTasks(bus, 1);
  expect(loop.inHand).toBe(1);
  const { num_pending: pending, num_waiting: waiting } = await info();
  expect({ pending, waiting }).toEqual({ pending: 1, waiting: 0 });
  work.held[0]?.finish();
  await loop.idle();
  expect(loop.inHand).toBe(0);
  expect((await info()).num_ack_pending).toBe(0);
});

test("tickets that are on their way while a loop stops go to another one at once [FC-B15]", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const publisher = await openBus();
  await ensure(publisher, durables(100));
  const durable = generalDurable(100);
  const seen = new Set<number>();
  const redelivered: number[] = [];
  const handle = async (delivery: Delivery) => {
    seen.add(delivery.streamSeq);
    if (delivery.deliveryCount > 1) redelivered.push(delivery.streamSeq);
    await delivery.ack();
  };
  const stopping = await openBus();
  const others = await openBus();
  others.startPullLoop({ durable, slots: 4, handle, logger: silent });
  const startedMs = performance.now();
  for (let round = 0; round < 20; round++) {
    const loop = stopping.startPullLoop({ durable, slots: 4, handle, logger: silent });
    await Promise.all([publishTasks(publisher, 10), loop.stop()]);
  }
  await expect.poll(() => seen.size, { timeout: 5000 }).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(14_000);
});

test("a paused loop takes nothing and goes on when resumed", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  let handled = 0;
  const loop = bus.startPullLoop({
    durable: generalDurable(),
    slots: 2,
    logger: silent,
    handle: async (delivery) => {
      handled += 1;
      await delivery.ack();
    },
  });
  await publishTasks(bus, 1);
  await expect.poll(() => handled, WAIT).toBe(1);
  loop.pause();
  const waiting = async () => (await admin.manager.consumers.info("TASKS", "general_interactive")).num_waiting;
  await expect.poll(waiting, WAIT).toBe(0);
  await publishTasks(bus, 2);
  expect(handled).toBe(1);
  loop.resume();
  await expect.poll(() => handled, WAIT).toBe(3);
});

test("a loop whose consumer is deleted says so, makes it again and goes on", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  let handled = 0;
  bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      handled += 1;
      await delivery.ack();
    },
  });
  const info = () => admin.manager.consumers.info("TASKS", "general_interactive");
  await expect.poll(async () => (await info()).num_waiting, WAIT).toBe(1);
  await admin.manager.consumers.delete("TASKS", "general_interactive");
  await expect.poll(() => bus.health().ready, WAIT).toBe(false);
  await expect.poll(async () => (await info().catch(() => undefined))?.num_waiting, WAIT).toBe(1);
  await publishTasks(bus, 1);
  await expect.poll(() => handled, WAIT).toBe(1);
  expect(bus.health()).toEqual({ ready: true, reasons: [] });
});

test("a loop whose stream is deleted makes it again and goes on", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const work = createHeldWork();
  bus.startPullLoop({ durable: generalDurable(), slots: 1, handle: work.handle, logger: silent });
  await expect
    .poll(async () => (await admin.manager.consumers.info("TASKS", "general_interactive")).num_waiting, WAIT)
    .toBe(1);
  await admin.manager.streams.delete("TASKS");
  await publishTasks(bus, 1);
  await expect.poll(() => work.held.length, WAIT).toBe(1);
  work.held[0]?.finish();
});

test("an idle loop keeps hearing the server beyond the end of its pulls", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus({ pull: { expiresMs: 1000, heartbeatMs: 500 } });
  await ensure(bus, durables(1));
  await publishTasks(bus, 2);
  const work = createHeldWork();
  bus.startPullLoop({ durable: generalDurable(1), slots: 2, handle: work.handle, logger: silent });
  await expect.poll(() => work.held.length, WAIT).toBe(1);
  const unready: string[] = [];
  const endMs = performance.now() + 4000;
  await expect
    .poll(() => {
      unready.push(...bus.health().reasons);
      return performance.now() > endMs;
    }, WAIT)
    .toBe(true);
  expect(unready).toEqual([]);
  work.held[0]?.finish();
  await expect.poll(() => work.started, WAIT).toBe(2);
  work.held[0]?.finish();
});
