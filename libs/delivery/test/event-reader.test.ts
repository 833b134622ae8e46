import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { AntlerError, eventKeys, type NewRunEvent, type RunEvent, subjects } from "@antler/contracts";
import { createLogger, delay, newId } from "@antler/platform";
import { connectStore, type Store } from "@antler/store";

import { type MongoServer, startMongo } from "../../../test/harness/mongo.ts";
import { createEventAppender } from "../src/event-appender.ts";
import { readRunEvents, type ReadRunEventsOptions } from "../src/event-reader.ts";
import { createSignalDouble, type SignalDouble } from "./signal-double.ts";

const logger = createLogger({ service: "test", level: "fatal" });
let mongo: MongoServer;
let store: Store;
let bus: SignalDouble;
let runId: string;

beforeAll(async () => {
  mongo = await startMongo();
  store = await connectStore({ url: mongo.url, database: mongo.newDatabase(), logger });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  await mongo.stop();
});
beforeEach(() => {
  bus = createSignalDouble();
  runId = newId();
});

const step = (key: string, text = ""): NewRunEvent => ({ key, type: "llm.ai.response", data: { text } });
const steps = (count: number) => Array.from({ length: count }, (_, index) => step(`k${index + 1}`));
const end: NewRunEvent = { key: eventKeys.runEnd, type: "run.end", data: { status: "success" } };
const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, index) => index + from);

const live = async () => "live" as const;
const read = (options: Partial<ReadRunEventsOptions> = {}) =>
  readRunEvents({ store, bus }, runId, {
    afterSeq: 0,
    signal: AbortSignal.timeout(20_000),
    sealIfEnded: live,
    ...options,
  });
const write = async (events: readonly NewRunEvent[]): Promise<RunEvent[]> => {
  const appender = createEventAppender({ store, bus, logger }, { runId, threadId: "t" });
  const stored = await appender.appendNow(events);
  await appender.close();
  return stored;
};
const seqsOf = (events: readonly RunEvent[]) => events.map(({ seq }) => seq);

/** Reads in the background; `events` grows. */
function collect(options: Partial<ReadRunEventsOptions> = {}): { events: RunEvent[]; ended: Promise<void> } {
  const events: RunEvent[] = [];
  const run = async (): Promise<void> => {
    for await (const event of read(options)) events.push(event);
  };
  return { events, ended: run() };
}

describe("readRunEvents", () => {
  it("replays a log that has its end, from any number", async () => {
    const stored = await write([...steps(450), end]);
    expect(await Array.fromAsync(read())).toEqual(stored);
    for (const afterSeq of [1, 199, 200, 449, 450]) {
      expect(seqsOf(await Array.fromAsync(read({ afterSeq })))).toEqual(upTo(451, afterSeq + 1));
    }
    expect(bus.listeners()).toBe(0);
  });

  it("follows signals without reading the log again", async () => {
    await write(steps(3));
    const reading = vi.spyOn(store.events, "read");
    const reader = collect();
    await expect.poll(() => reader.events.length).toBe(3);
    const readings = reading.mock.calls.length;
    await write([step("x"), step("y"), end]);
    await reader.ended;
    expect(seqsOf(reader.events)).toEqual(upTo(6));
    expect(reading.mock.calls.length - readings).toBeLessThanOrEqual(1);
    reading.mockRestore();
  });

  it("finds events whose signal was lost within its time", async () => {
    bus.lossy = true;
    const reader = collect();
    await expect.poll(() => bus.listeners()).toBe(1);
    await write([...steps(2), end]);
    await reader.ended;
    expect(seqsOf(reader.events)).toEqual([1, 2, 3]);
  });

  it("closes a gap from the log after 50 ms", async () => {
    const reader = collect();
    await expect.poll(() => bus.listeners()).toBe(1);
    bus.lossy = true;
    await write([step("lost")]);
    bus.lossy = false;
    const start = performance.now();
    await write([step("seen")]);
    await expect.poll(() => seqsOf(reader.events), { interval: 5 }).toEqual([1, 2]);
    expect(performance.now() - start).toBeLessThan(1500);
    await write([end]);
    await reader.ended;
  });

  it("puts signals that overtake each other into order", async () => {
    const stored = await store.events.append(runId, "t", [...steps(4), end]);
    const reading = vi.spyOn(store.events, "read").mockResolvedValue([]);
    const reader = collect();
    await expect.poll(() => reading.mock.calls.length).toBe(1);
    await delay(20);
    for (const index of [1, 0, 2, 4, 3, 3]) bus.signal(subjects.events(runId), { events: [stored[index]] });
    await reader.ended;
    reading.mockRestore();
    expect(reader.events).toEqual(stored);
  });

  it("reads the log at once when a signal carries only a number", async () => {
    const reader = collect();
    await expect.poll(() => bus.listeners()).toBe(1);
    const start = performance.now();
    await write([step("large", "x".repeat(100_000)), end]);
    await reader.ended;
    expect(seqsOf(reader.events)).toEqual([1, 2]);
    expect(performance.now() - start).toBeLessThan(1500);
  });

  it("is not led astray by signals that are no events", async () => {
    const reader = collect();
    await expect.poll(() => bus.listeners()).toBe(1);
    for (const payload of [{}, { seq: 0 }, { events: "x" }, { seq: 99 }]) bus.signal(subjects.events(runId), payload);
    await write([step("a"), end]);
    await reader.ended;
    expect(seqsOf(reader.events)).toEqual([1, 2]);
  });
});

describe("the end of a stream", () => {
  it("comes when the reader finds the run ended and seals the log", async () => {
    await write(steps(2));
    bus.lossy = true;
    const sealIfEnded = vi.fn(async () => {
      await write([end]);
      return "ended" as const;
    });
    const events = await Array.fromAsync(read({ sealIfEnded }));
    expect(events.map(({ type }) => type)).toEqual(["llm.ai.response", "llm.ai.response", "run.end"]);
    expect(sealIfEnded).toHaveBeenCalledTimes(1);
  });

  it("comes for a number beyond the end of the log", async () => {
    await write([...steps(2), end]);
    expect(await Array.fromAsync(read({ afterSeq: 99, sealIfEnded: async () => "ended" }))).toEqual([]);
  });

  it("comes when the run is gone", async () => {
    expect(await Array.fromAsync(read({ sealIfEnded: async () => "gone" }))).toEqual([]);
    expect(bus.listeners()).toBe(0);
  });

  it("comes at once on abort, while waiting and between events", async () => {
    await write(steps(3));
    const abort = new AbortController();
    const reader = collect({ signal: abort.signal });
    await expect.poll(() => reader.events.length).toBe(3);
    abort.abort();
    await reader.ended;
    expect(bus.listeners()).toBe(0);
    expect(await Array.fromAsync(read({ signal: AbortSignal.abort() }))).toEqual([]);
  });

  it("leaves no subscription when the consumer breaks off", async () => {
    await write(steps(3));
    for await (const event of read()) if (event.seq === 2) break;
    expect(bus.listeners()).toBe(0);
  });
});

describe("faults and load", () => {
  it("goes on after the store was unreachable", async () => {
    await write([...steps(2), end]);
    const reading = vi.spyOn(store.events, "read").mockRejectedValueOnce(new AntlerError("store_unavailable", "down"));
    expect(seqsOf(await Array.fromAsync(read()))).toEqual([1, 2, 3]);
    reading.mockRestore();
  });

  it("throws other faults and leaves no subscription", async () => {
    const reading = vi.spyOn(store.events, "read").mockRejectedValueOnce(new TypeError("a bug"));
    await expect(Array.fromAsync(read())).rejects.toThrow("a bug");
    expect(bus.listeners()).toBe(0);
    reading.mockRestore();
  });

  it("gives many readers of several appenders the same, reconnects included", { timeout: 60_000 }, async () => {
    const appenders = upTo(4).map((name) => ({
      name,
      appender: createEventAppender({ store, bus, logger }, { runId, threadId: "t" }),
    }));
    const readers = upTo(10).map(() => collect({ signal: AbortSignal.timeout(50_000) }));
    const reconnecting = (async () => {
      const events: RunEvent[] = [];
      while (events.at(-1)?.type !== "run.end") {
        for await (const event of read({ afterSeq: events.at(-1)?.seq ?? 0, signal: AbortSignal.timeout(50_000) })) {
          events.push(event);
          if (events.length % 37 === 0) break;
        }
      }
      return events;
    })();
    for (const n of upTo(150)) {
      bus.lossy = n % 10 === 0;
      for (const { name, appender } of appenders) appender.append(step(`${name}:${n}`));
      await delay(1);
    }
    bus.lossy = false;
    await Promise.all(appenders.map(({ appender }) => appender.close()));
    await write([end]);
    await Promise.all(readers.map(({ ended }) => ended));
    for (const { events } of readers) expect(seqsOf(events)).toEqual(upTo(601));
    expect(seqsOf(await reconnecting)).toEqual(upTo(601));
    expect(bus.listeners()).toBe(0);
  });

  it("reads 20,000 events without holding them", { timeout: 120_000 }, async () => {
    const text = "x".repeat(200);
    const appender = createEventAppender({ store, bus, logger }, { runId, threadId: "t" });
    for (let block = 0; block < 20; block++) {
      await appender.appendNow(upTo(1000).map((n) => step(`${block}:${n}`, text)));
    }
    await appender.appendNow([end]);
    await appender.close();
    const pages = vi.spyOn(store.events, "read");
    let next = 1;
    for await (const event of read({ signal: AbortSignal.timeout(60_000) })) {
      if (event.seq !== next) throw new Error(`Event ${event.seq} came instead of ${next}`);
      next += 1;
    }
    expect(next).toBe(20_002);
    expect(Math.max(...pages.mock.calls.map(([, { limit }]) => limit))).toBeLessThanOrEqual(200);
    pages.mockRestore();
  });
});
