import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import { aTaskDraft } from "../../../test/harness/rows.ts";
import type { Fence, TaskRow } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

const KIB = 1024;

let harness: StoreHarness;

beforeAll(async () => {
  harness = await startStore();
});
afterAll(() => harness.stop());

async function claimed(): Promise<{ readonly task: TaskRow; readonly fence: Fence }> {
  const { tasks } = harness.store;
  const inserted = await tasks.insert(aTaskDraft());
  const claimId = newId();
  const task = await tasks.claim(inserted._id, { id: claimId, runner_id: "runner-1", pid: 1 }, 10_000);
  if (task === undefined) throw new Error("The task could not be claimed");
  return { task, fence: { id: task._id, epoch: task.epoch, claimId } };
}

const completed = (result: unknown) => ({
  status: "completed",
  fields: { stop_reason: "completed", result, partial_result: null },
  owed: [],
});

const settled = async (result: string) => {
  const { fence } = await claimed();
  const row = await harness.store.tasks.settle(fence, completed(result));
  if (row === undefined) throw new Error("The task was not settled");
  return row;
};

const apart = (taskId: string) => harness.collections.results.find({ task_id: taskId }).toArray();

describe("the result of a task", () => {
  it.each([
    ["of 256 KiB", "x".repeat(256 * KIB)],
    ["of 256 KiB in wide characters", "é".repeat(128 * KIB)],
    ["that is empty", ""],
  ])("%s stands whole in its row", async (_size, result) => {
    const row = await settled(result);

    expect(row.result).toBe(result);
    expect(row).not.toHaveProperty("result_bytes");
    expect(await harness.store.tasks.wholeResult(row)).toBe(result);
    expect(await apart(row._id)).toEqual([]);
  });

  it.each([
    ["of one byte more", `${"x".repeat(256 * KIB)}y`],
    ["of few characters and many bytes", "🙂".repeat(80 * KIB)],
    ["of 12 MiB", "é".repeat(6 * KIB * KIB)],
  ])("%s stands apart, and the row has its beginning and size", async (_size, result) => {
    const row = await settled(result);

    expect(row.result?.length).toBeLessThanOrEqual(64 * KIB);
    expect(result.startsWith(row.result ?? "-")).toBe(true);
    expect(row.result_bytes).toBe(Buffer.byteLength(result));
    expect(await harness.store.tasks.wholeResult(row)).toBe(result);
  });

  it("with keys of any kind in its text is stored as it is, among nine others [FC-E03]", async () => {
    const hostile = JSON.stringify({ "a.b": 1, $set: { x: "$y" }, "": 2, ["__proto__"]: { polluted: true } });
    const results = Array.from({ length: 10 }, (_, index) => (index === 3 ? hostile : `result ${index}`));
    const rows = await Promise.all(results.map(settled));
    const long = await settled(hostile.padEnd(300 * KIB, " "));

    expect(rows.map(({ result }) => result)).toEqual(results);
    expect(await harness.store.tasks.wholeResult(long)).toBe(hostile.padEnd(300 * KIB, " "));
    expect({}).not.toHaveProperty("polluted");
  });

  it("is that of the claim that settled the task, whatever another one had set apart", async () => {
    const { task, fence } = await claimed();
    const stale = { ...fence, epoch: fence.epoch - 1 };
    const [own, other] = ["own".repeat(100 * KIB), "other".repeat(100 * KIB)];

    expect(await harness.store.tasks.settle(stale, completed(other))).toBeUndefined();
    const row = await harness.store.tasks.settle(fence, completed(own));

    expect(row && (await harness.store.tasks.wholeResult(row))).toBe(own);
    expect(await apart(task._id)).toHaveLength(2);
  });

  it("may be settled again after a lost answer", async () => {
    const { task, fence } = await claimed();
    const result = "x".repeat(300 * KIB);
    await harness.collections.results.insertOne({ _id: `${task._id}:${task.epoch}`, task_id: task._id, text: result });

    expect(await harness.store.tasks.settle(fence, completed(result))).toMatchObject({ result_bytes: 300 * KIB });
  });

  it("of 17 MB among ten fails by name, and the other nine are stored [FC-E05]", async () => {
    const sizes = Array.from({ length: 10 }, (_, index) => (index === 4 ? 17_000_000 : 1000 + index));
    const ends = await Promise.allSettled(sizes.map((size) => settled("x".repeat(size))));

    expect(ends.map(({ status }) => status).filter((status) => status === "fulfilled")).toHaveLength(9);
    expect(ends[4]).toMatchObject({ status: "rejected", reason: { code: "document_too_large" } });
  });
});
