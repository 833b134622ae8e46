import { describe, expect, it, test } from "vitest";

import { newTraceContext } from "@antler/platform";

import { ticketState } from "../src/ticket-state.ts";
import { createHeldWork, ensure, GENERAL, generalDurable, silent, startTestServer, taskTicket } from "./bus-test.ts";

describe("the state of a ticket", () => {
  const place = { stream_created: "then", seq: 5 };
  const stream = { created: "then", firstSeq: 1, lastSeq: 9 };

  const durable = { startSeq: 1, deliveredSeq: 7, ackFloorSeq: 2, inFlight: 1 };

  it.each([
    ["waiting", stream, { ...durable, deliveredSeq: 4 }],
    ["waiting", stream, { ...durable, deliveredSeq: 4, inFlight: 0 }],
    ["delivered", stream, { ...durable, deliveredSeq: 5 }],
    ["delivered", stream, { ...durable, ackFloorSeq: 4 }],
    ["settled", stream, { ...durable, ackFloorSeq: 5 }],
    ["settled", stream, { ...durable, inFlight: 0 }],
    ["settled", stream, { ...durable, startSeq: 6 }],
    ["gone", { ...stream, created: "later" }, durable],
    ["gone", { ...stream, firstSeq: 6 }, durable],
    ["gone", { ...stream, lastSeq: 4 }, durable],
    ["gone", undefined, durable],
    ["gone", stream, undefined],
  ] as const)("is %s for stream %o and durable %o", (expected, streamState, durableState) => {
    expect(ticketState(place, streamState, durableState)).toBe(expected);
  });
});

test("follows a ticket from waiting over delivered to settled", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  const observer = await openBus();
  const durable = generalDurable();
  await ensure(bus);
  const place = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  const state = () => observer.inspectTicket(durable, place);
  expect(await state()).toBe("waiting");
  const work = createHeldWork();
  bus.startPullLoop({ durable, slots: 1, handle: work.handle, logger: silent });
  await expect.poll(state, { timeout: 5000 }).toBe("delivered");
  work.held[0]?.finish();
  await expect.poll(state, { timeout: 5000 }).toBe("settled");
});

test("a ticket that was handed back, or whose worker fell silent, is not settled", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  const durable = generalDurable(8, 1000);
  await ensure(bus, [durable]);
  const [unanswered, handedBack] = [
    await bus.publishTicket(GENERAL, taskTicket(), newTraceContext()),
    await bus.publishTicket(GENERAL, taskTicket(), newTraceContext()),
  ];
  let deliveries = 0;
  const loop = bus.startPullLoop({
    durable,
    slots: 2,
    logger: silent,
    handle: async (delivery) => {
      deliveries += 1;
      if (delivery.streamSeq === handedBack.seq) delivery.nak();
      if (deliveries >= 3) loop.pause();
    },
  });
  await expect.poll(() => deliveries, { timeout: 5000 }).toBeGreaterThanOrEqual(3);
  await loop.stop();
  const redelivered = async () => (await admin.manager.consumers.info("TASKS", durable.name)).num_redelivered;
  await expect.poll(redelivered, { timeout: 5000 }).toBeGreaterThanOrEqual(1);
  const states = () => Promise.all([unanswered, handedBack].map((place) => bus.inspectTicket(durable, place)));
  expect(await states()).toEqual(["delivered", "delivered"]);
  const later = performance.now() + 2200;
  await expect.poll(() => performance.now() > later, { timeout: 5000 }).toBe(true);
  expect(await states()).toEqual(["delivered", "delivered"]);
});

test("a ticket published within the last second is not gone", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await ensure(bus);
  const first = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  expect(await bus.inspectTicket(generalDurable(), first)).toBe("waiting");
  const second = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  expect(await bus.inspectTicket(generalDurable(), second)).toBe("waiting");
});

test("a ticket is gone once its stream is deleted, also when another stream took its name", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const place = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await admin.manager.streams.delete("TASKS");
  await expect.poll(() => bus.inspectTicket(generalDurable(), place), { timeout: 3000 }).toBe("gone");
  await ensure(bus);
  const anew = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  expect(anew.seq).toBe(place.seq);
  expect(await bus.inspectTicket(generalDurable(), place)).toBe("gone");
  expect(await bus.inspectTicket(generalDurable(), anew)).toBe("waiting");
});

test("a ticket that a durable made later skips is settled", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const place = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await admin.manager.consumers.delete("TASKS", "general_interactive");
  await ensure(bus);
  await expect.poll(() => bus.inspectTicket(generalDurable(), place), { timeout: 3000 }).toBe("settled");
});

test("a durable that is missing is made again when a ticket is looked up", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const place = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await admin.manager.consumers.delete("TASKS", "general_interactive");
  expect(await bus.inspectTicket(generalDurable(), place)).toBe("gone");
  await expect
    .poll(() => admin.manager.consumers.info("TASKS", "general_interactive").catch(() => undefined), { timeout: 5000 })
    .toBeDefined();
});
