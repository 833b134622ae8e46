import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { newTraceContext } from "@antler/platform";

import { type NatsServer, startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { type Bus, connectBus, type Delivery } from "../src/index.ts";
import { durables, ensure, GENERAL, generalDurable, publishTasks, silent, taskTicket } from "./bus-test.ts";

const WAIT = { timeout: 15_000, interval: 20 };

function open(server: NatsServer): Promise<Bus> {
  return connectBus({ url: server.url, name: "test", logger: silent });
}

function restart({ port }: NatsServer, dataDir: string): Promise<NatsServer> {
  return startNats({ port, dataDir });
}

test("after a crash of the server what was waiting and what was in hand is delivered", async () => {
  await using directory = await temporaryDirectory();
  await using first = await startNats({ dataDir: directory.path });
  const bus = await open(first);
  await ensure(bus, durables(8, 1000));
  await publishTasks(bus, 6);
  const acked = new Set<number>();
  let mayAck = false;
  bus.startPullLoop({
    durable: generalDurable(8, 1000),
    slots: 2,
    logger: silent,
    handle: async (delivery) => {
      if (!mayAck) return;
      await delivery.ack();
      acked.add(delivery.streamSeq);
    },
  });
  await expect.poll(() => bus.health().ready, WAIT).toBe(true);
  await first.kill();
  await expect.poll(() => bus.health(), WAIT).toEqual({ ready: false, reasons: ["not connected to NATS"] });
  mayAck = true;
  await using second = await restart(first, directory.path);
  expect(second.url).toBe(first.url);
  await expect.poll(() => [...acked].sort(), WAIT).toEqual([1, 2, 3, 4, 5, 6]);
  expect(bus.health()).toEqual({ ready: true, reasons: [] });
  const { seq } = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await expect.poll(() => acked.has(seq), WAIT).toBe(true);
  await bus.close();
});

test("tickets that are published one after the other while the server restarts are each stored once [FC-B11]", async () => {
  await using directory = await temporaryDirectory();
  await using first = await startNats({ dataDir: directory.path });
  const bus = await open(first);
  await ensure(bus);
  const tickets = Array.from({ length: 50 }, () => taskTicket());
  const placed: { seq: number }[] = [];
  const publishAll = async () => {
    for (const ticket of tickets) placed.push(await bus.publishTicket(GENERAL, ticket, newTraceContext()));
  };
  const publishing = publishAll();
  await expect.poll(() => placed.length, { ...WAIT, interval: 1 }).toBeGreaterThan(5);
  await first.kill();
  await using second = await restart(first, directory.path);
  await publishing;
  const held: string[] = [];
  const handle = async (delivery: Delivery) => {
    held.push((JSON.parse(delivery.text) as { id: string }).id);
    await delivery.ack();
  };
  bus.startPullLoop({ durable: generalDurable(), slots: 8, handle, logger: silent });
  await expect.poll(() => new Set(held).size, WAIT).toBe(50);
  expect(second.url).toBe(first.url);
  expect(held.toSorted()).toEqual(tickets.map(({ id }) => id).toSorted());
  expect(new Set(placed.map(({ seq }) => seq)).size).toBe(50);
  await bus.close();
});

test("after the server lost its files everything is made again and new tickets flow", async () => {
  await using first = await startNats();
  const bus = await open(first);
  await ensure(bus);
  const lost = await bus.publishTicket("tasks.bash.interactive", taskTicket(), newTraceContext());
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
  await first.kill();
  await using directory = await temporaryDirectory();
  await using second = await restart(first, directory.path);
  expect(second.url).toBe(first.url);
  await expect.poll(() => bus.health().ready, WAIT).toBe(true);
  const place = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await expect.poll(() => handled, WAIT).toBe(1);
  expect(place.stream_created).not.toBe(lost.stream_created);
  const bash = durables().find(({ name }) => name === "bash_interactive")!;
  expect(await bus.inspectTicket(bash, lost)).toBe("gone");
  await bus.close();
});

test("a consumer that would be ahead of its stream after a restart delivers new tickets all the same", async () => {
  await using directory = await temporaryDirectory();
  await using first = await startNats({ dataDir: directory.path });
  const bus = await open(first);
  await ensure(bus);
  await publishTasks(bus, 3);
  const seen: number[] = [];
  const loop = bus.startPullLoop({
    durable: generalDurable(),
    slots: 1,
    logger: silent,
    handle: async (delivery) => {
      seen.push(delivery.streamSeq);
      await delivery.ack();
    },
  });
  await expect.poll(() => seen, WAIT).toEqual([1, 2, 3]);
  await first.stop();
  await loseMessages(directory.path);
  await using second = await restart(first, directory.path);
  expect(second.url).toBe(first.url);
  await expect.poll(() => bus.health().ready, WAIT).toBe(true);
  const { seq } = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await expect.poll(() => seen, WAIT).toEqual([1, 2, 3, seq]);
  await loop.stop();
  await bus.close();
});

/** What a crash may do to a stream: its messages are gone, its consumers still know how far they were. */
async function loseMessages(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const messages = entries.filter(({ name, parentPath }) => name === "msgs" && parentPath.endsWith("TASKS"));
  expect(messages).toHaveLength(1);
  await Promise.all(messages.map(({ name, parentPath }) => rm(join(parentPath, name), { recursive: true })));
}
