import { setImmediate } from "node:timers/promises";

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { AntlerError, type NewRunEvent, type RunEvent, subjects } from "@antler/contracts";
import { createLogger, newId } from "@antler/platform";
import { connectStore, type Store } from "@antler/store";

import { type MongoServer, startMongo } from "../../../test/harness/mongo.ts";
import { createEventAppender } from "../src/event-appender.ts";
import { createSignalDouble, type SignalDouble } from "./signal-double.ts";

const lines: string[] = [];
const logger = createLogger({
  service: "test",
  level: "warn",
  destination: { write: (line) => void lines.push(line) },
});
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
  lines.length = 0;
});

const step = (key: string, text = ""): NewRunEvent => ({ key, type: "llm.ai.response", data: { text } });
const steps = (count: number) => Array.from({ length: count }, (_, index) => step(`k${index + 1}`));
const keysIn = async () => (await store.events.read(runId, { afterSeq: 0, limit: 5000 })).map(({ key }) => key);
const keysOf = (events: readonly Pick<NewRunEvent, "key">[]) => events.map(({ key }) => key);
const anAppender = (events: Pick<Store["events"], "append"> = store.events) =>
  createEventAppender({ store: { events }, bus, logger }, { runId, threadId: "t" });

describe("append", () => {
  it("DF-E17 is written at 25 events without being asked", async () => {
    const append = vi.fn<Store["events"]["append"]>(async () => []);
    const appender = anAppender({ append });
    steps(24).forEach((event) => appender.append(event));
    await setImmediate();
    expect(append).not.toHaveBeenCalled();
    appender.append(step("k25"));
    await setImmediate();
    expect(append.mock.calls.map(([, , events]) => keysOf(events))).toEqual([keysOf(steps(25))]);
    await appender.close();
  });

  it("DF-E16 is written after 250 ms, all at once and in order", async () => {
    const append = vi.spyOn(store.events, "append");
    const appender = anAppender();
    appender.append(step("a"));
    appender.append(step("b"));
    expect(append).not.toHaveBeenCalled();
    await expect.poll(keysIn).toEqual(["a", "b"]);
    expect(append.mock.calls).toEqual([[runId, "t", [step("a"), step("b")]]]);
    append.mockRestore();
    await appender.close();
  });

  it("is written by flush and by close, and ignored after close", async () => {
    const appender = anAppender();
    appender.append(step("a"));
    await appender.flush();
    expect(await keysIn()).toEqual(["a"]);
    appender.append(step("b"));
    await appender.close();
    appender.append(step("late"));
    await appender.flush();
    expect(await keysIn()).toEqual(["a", "b"]);
  });

  it("takes at most 100 events into one write", async () => {
    const append = vi.spyOn(store.events, "append");
    const appender = anAppender();
    const stored = await appender.appendNow(steps(250));
    expect(append.mock.calls.map(([, , events]) => events.length)).toEqual([100, 100, 50]);
    append.mockRestore();
    expect(keysOf(stored)).toEqual(keysOf(steps(250)));
    await appender.close();
  });
});

describe("order", () => {
  it("DF-E18 is that of the calls, buffered or not", async () => {
    const appender = anAppender();
    appender.append(step("a"));
    const now = appender.appendNow([step("b"), step("c")]);
    appender.append(step("d"));
    const flushed = appender.flush();
    expect((await now).map(({ key, seq }) => [key, seq])).toEqual([
      ["b", 2],
      ["c", 3],
    ]);
    await flushed;
    expect(await keysIn()).toEqual(["a", "b", "c", "d"]);
    await appender.close();
  });

  it("holds when the store fails for a while, and nothing is lost", async () => {
    let failures = 2;
    const events: Pick<Store["events"], "append"> = {
      append: (...call) => {
        if (failures-- > 0) throw new AntlerError("store_unavailable", "down");
        return store.events.append(...call);
      },
    };
    const appender = anAppender(events);
    steps(25).forEach((event) => appender.append(event));
    await expect(appender.flush()).rejects.toMatchObject({ code: "store_unavailable" });
    appender.append(step("last"));
    await appender.flush();
    expect(await keysIn()).toEqual([...keysOf(steps(25)), "last"]);
    expect(lines.join("")).toContain("will be tried again");
    await appender.close();
  });

  it("is kept by each of several appenders of one run, without a gap", async () => {
    const appenders = ["a", "b", "c", "d"].map((name) => ({ name, appender: anAppender() }));
    for (let n = 0; n < 120; n++) for (const { name, appender } of appenders) appender.append(step(`${name}:${n}`));
    await Promise.all(appenders.map(({ appender }) => appender.close()));
    const stored = await store.events.read(runId, { afterSeq: 0, limit: 5000 });
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 480 }, (_, index) => index + 1));
    for (const { name } of appenders) {
      const own = stored.filter(({ key }) => key.startsWith(name)).map(({ key }) => Number(key.slice(2)));
      expect(own).toEqual(own.toSorted((x, y) => x - y));
    }
  });
});

describe("an event that is given twice", () => {
  it("DF-E7 is stored once, and its repetition is no fault", async () => {
    const appender = anAppender();
    await appender.appendNow([step("a", "first")]);
    await appender.appendNow([step("a", "again"), step("b")]);

    const stored = await store.events.read(runId, { afterSeq: 0, limit: 10 });
    expect(stored.map(({ seq, key, data }) => [seq, key, data["text"]])).toEqual([
      [1, "a", "first"],
      [2, "b", ""],
    ]);
    await appender.close();
  });
});

describe("faults", () => {
  it("drops an event that no store would take, tells so, and keeps its neighbours", async () => {
    const appender = anAppender();
    appender.append(step("a"));
    appender.append(step("large", "x".repeat(15 * 1024 * 1024)));
    appender.append(step("b"));
    await appender.flush();
    expect(await keysIn()).toEqual(["a", "b"]);
    expect(lines.join("")).toContain("too large");
    await appender.close();
  });

  it("throws document_too_large to who waits for the event", async () => {
    const appender = anAppender();
    const large = step("large", "x".repeat(15 * 1024 * 1024));
    await expect(appender.appendNow([large])).rejects.toMatchObject({ code: "document_too_large" });
    expect(keysOf(await appender.appendNow([step("a")]))).toEqual(["a"]);
    await appender.close();
  });

  it("leaves out what comes after the end of the log", async () => {
    const appender = anAppender();
    await appender.appendNow([{ key: "run:end", type: "run.end", data: {} }]);
    expect(await appender.appendNow([step("late")])).toEqual([]);
    expect(bus.sent).toHaveLength(1);
    await appender.close();
  });
});

describe("signals", () => {
  it("carry the stored events after each write", async () => {
    const appender = anAppender();
    const stored = await appender.appendNow(steps(101));
    const signalled = bus.sent.flatMap(({ payload }) => (payload as { events: RunEvent[] }).events);
    expect(bus.sent.map(({ subject }) => subject)).toEqual([subjects.events(runId), subjects.events(runId)]);
    expect(signalled).toEqual(stored);
    await appender.close();
  });

  it("carry only the last number when the events exceed 64 KiB", async () => {
    const appender = anAppender();
    await appender.appendNow([step("a", "x".repeat(40_000)), step("b", "x".repeat(40_000))]);
    expect(bus.sent.map(({ payload }) => payload)).toEqual([{ seq: 2 }]);
    await appender.close();
  });
});
