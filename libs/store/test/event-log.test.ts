import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { eventKeys, type NewRunEvent } from "@antler/contracts";
import { newId } from "@antler/platform";

import { CHECKPOINT_MAX_BYTES } from "../src/checkpoint-writer.ts";
import { EVENT_MAX_BYTES } from "../src/event-document.ts";
import type { EventLog, Store } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let log: EventLog;

beforeAll(async () => {
  harness = await startStore();
  log = harness.store.events;
});
afterAll(() => harness.stop());

const step = (key: string, data: Record<string, unknown> = {}): NewRunEvent => ({ key, type: "llm.ai.response", data });
const end: NewRunEvent = { key: eventKeys.runEnd, type: "run.end", data: { status: "success" } };
const all = (runId: string) => log.read(runId, { afterSeq: 0, limit: 5000 });
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("append", () => {
  it("numbers events from 1 in their order and returns them as stored", async () => {
    const runId = newId();
    const first = await log.append(runId, "t1", [step("a", { text: "one" }), { ...step("b"), task_id: "task" }]);
    const second = await log.append(runId, "t1", [step("c")]);
    expect(first.map(({ seq, key }) => [seq, key])).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(second[0]).toMatchObject({ run_id: runId, seq: 3, key: "c", thread_id: "t1", category: "message" });
    expect(second[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(first[1]?.task_id).toBe("task");
    expect(await all(runId)).toEqual([...first, ...second]);
  });

  it("gives each run its own numbers", async () => {
    const [one, other] = [newId(), newId()];
    await log.append(one, "t", [step("a"), step("b")]);
    expect(await log.append(other, "t", [step("a")])).toMatchObject([{ run_id: other, seq: 1 }]);
  });

  it("stores a key once and returns what is stored under it", async () => {
    const runId = newId();
    await log.append(runId, "t", [step("a", { n: 1 }), step("b")]);
    const again = await log.append(runId, "t", [step("a", { n: 2 }), step("c"), step("c"), step("b")]);
    expect(again.map(({ seq, key }) => [seq, key])).toEqual([
      [1, "a"],
      [3, "c"],
      [2, "b"],
    ]);
    expect(again[0]?.data).toEqual({ n: 1 });
    expect(await log.lastSeq(runId)).toBe(3);
  });

  it("renumbers the rest when another appender took a number", async () => {
    const runId = newId();
    const events = upTo(30).map((n) => step(`k${n}`));
    await Promise.all([log.append(runId, "t", events), log.append(runId, "t", [step("other")])]);
    const stored = await all(runId);
    expect(stored.map(({ seq }) => seq)).toEqual(upTo(31));
    expect(stored.filter(({ key }) => key !== "other").map(({ key }) => key)).toEqual(events.map(({ key }) => key));
  });

  it("keeps any JSON value as it is", async () => {
    const runId = newId();
    const deep = upTo(150).reduce<unknown>((inner) => ({ inner }), "bottom");
    const data = {
      $set: { "a.b": 1 },
      $ref: "x",
      $id: "y",
      list: [null, 1.5, -0.25],
      big: 2 ** 53,
      deep,
      lone: "\ud800",
    };
    await log.append(runId, "t", [step("a", data)]);
    expect((await all(runId))[0]?.data).toEqual(data);
  });

  it("refuses an event over 14 MiB and writes nothing of the call", async () => {
    const runId = newId();
    const large = step("large", { text: "x".repeat(EVENT_MAX_BYTES) });
    await expect(log.append(runId, "t", [step("a"), large])).rejects.toMatchObject({ code: "document_too_large" });
    expect(await log.lastSeq(runId)).toBe(0);
  });

  it("stores an event as large as the largest checkpoint", async () => {
    const runId = newId();
    const data = { text: "x".repeat(CHECKPOINT_MAX_BYTES) };
    await log.append(runId, "t", [step("a", data)]);
    expect((await all(runId))[0]?.data).toEqual(data);
  });

  it("accepts no event and an empty call changes nothing", async () => {
    const runId = newId();
    expect(await log.append(runId, "t", [])).toEqual([]);
    expect(await log.lastSeq(runId)).toBe(0);
  });
});

describe("the end of a log", () => {
  it("takes nothing after run:end but returns what is stored", async () => {
    const runId = newId();
    await log.append(runId, "t", [step("a"), end]);
    const late = await log.append(runId, "t", [step("late"), step("a"), end]);
    expect(late.map(({ key }) => key)).toEqual(["a", "run:end"]);
    expect((await all(runId)).map(({ key }) => key)).toEqual(["a", "run:end"]);
  });

  it("drops what follows run:end in the same call", async () => {
    const runId = newId();
    const stored = await log.append(runId, "t", [step("a"), end, step("late")]);
    expect(stored.map(({ key }) => key)).toEqual(["a", "run:end"]);
    expect(await log.lastSeq(runId)).toBe(2);
  });

  it("is the last number, however many append at the same time", async () => {
    const runId = newId();
    const appenders = upTo(6).map((n) =>
      log.append(
        runId,
        "t",
        upTo(10).map((m) => step(`${n}.${m}`)),
      ),
    );
    await Promise.all([...appenders, log.append(runId, "t", [end])]);
    const stored = await all(runId);
    expect(stored.at(-1)?.key).toBe("run:end");
    expect(stored.map(({ seq }) => seq)).toEqual(upTo(stored.length));
  });
});

describe("several processes", () => {
  it("append without a gap, without a duplicate, each in its own order", { timeout: 60_000 }, async () => {
    const runId = newId();
    const stores: Store[] = await Promise.all(upTo(4).map(() => harness.connect()));
    const writes = stores.map(async ({ events }, writer) => {
      for (const batch of upTo(25)) {
        await events.append(
          runId,
          "t",
          upTo(5).map((n) => step(`${writer}:${batch * 100 + n}`)),
        );
        // An answer that was lost: the same call once more.
        if (batch % 5 === 0)
          await events.append(
            runId,
            "t",
            upTo(5).map((n) => step(`${writer}:${batch * 100 + n}`)),
          );
      }
    });
    await Promise.all(writes);
    const stored = await all(runId);
    expect(stored.map(({ seq }) => seq)).toEqual(upTo(500));
    expect(new Set(stored.map(({ key }) => key)).size).toBe(500);
    for (const writer of stores.keys()) {
      const own = stored.filter(({ key }) => key.startsWith(`${writer}:`)).map(({ key }) => Number(key.split(":")[1]));
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it("leave no gap when a write whose answer was lost arrives late", async () => {
    const runId = newId();
    await log.append(
      runId,
      "t",
      upTo(3).map((n) => step(`k${n}`)),
    );
    const [sample] = await harness.collections.events.find({ run_id: runId }).toArray();
    const { _id, ...fields } = sample!;
    expect(_id).toBeDefined();
    const ghost = [2, 3, 4].map((seq) => ({ ...fields, seq, key: `ghost${seq}` }));
    await expect(harness.collections.events.insertMany(ghost)).rejects.toMatchObject({ code: 11_000 });
    expect((await all(runId)).map(({ key }) => key)).toEqual(["k1", "k2", "k3"]);
  });
});

describe("read", () => {
  it("begins after a number and filters by task and type", async () => {
    const runId = newId();
    const start: NewRunEvent = { key: "s", type: "subagent.start", data: {}, task_id: "one" };
    await log.append(runId, "t", [step("a"), start, { ...start, key: "s2", task_id: "two" }, step("b"), step("c")]);
    const keys = async (options: Partial<Parameters<EventLog["read"]>[1]>) =>
      (await log.read(runId, { afterSeq: 0, limit: 100, ...options })).map(({ key }) => key);
    expect(await keys({ afterSeq: 3 })).toEqual(["b", "c"]);
    expect(await keys({ limit: 2 })).toEqual(["a", "s"]);
    expect(await keys({ taskId: "two" })).toEqual(["s2"]);
    expect(await keys({ types: ["subagent.start"] })).toEqual(["s", "s2"]);
    expect(await keys({ afterSeq: 99 })).toEqual([]);
  });

  it("gives fewer events when they are large, at least one", async () => {
    const runId = newId();
    const large = (key: string) => step(key, { text: "x".repeat(5 * 1024 * 1024) });
    for (const key of ["a", "b", "c"]) await log.append(runId, "t", [large(key)]);
    const page = await log.read(runId, { afterSeq: 0, limit: 100 });
    expect(page.map(({ key }) => key)).toEqual(["a", "b"]);
    expect((await log.read(runId, { afterSeq: 2, limit: 100 })).map(({ key }) => key)).toEqual(["c"]);
  });

  it("gives no more than a page that whoever reads can hold", async () => {
    const runId = newId();
    await log.append(
      runId,
      "t",
      ["a", "b", "c", "d"].map((key) => step(key, { text: "x".repeat(1000) })),
    );
    const page = (afterSeq: number, maxBytes: number) => log.read(runId, { afterSeq, limit: 100, maxBytes });

    expect((await page(0, 1500)).map(({ key }) => key)).toEqual(["a", "b"]);
    expect((await page(2, 1)).map(({ key }) => key)).toEqual(["c"]);
  });

  it("deletes the log of one run whole", async () => {
    const [one, other] = [newId(), newId()];
    await log.append(one, "t", [step("a")]);
    await log.append(other, "t", [step("a")]);
    await log.deleteRun(one);
    expect(await all(one)).toEqual([]);
    expect(await log.lastSeq(other)).toBe(1);
  });
});
