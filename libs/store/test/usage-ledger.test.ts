import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { usageKey, type UsageRecord } from "@antler/contracts";
import { newId } from "@antler/platform";

import type { UsageLedger } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let usage: UsageLedger;

beforeAll(async () => {
  harness = await startStore();
  usage = harness.store.usage;
});
afterAll(() => harness.stop());

function aRecord(runId: string, call: number, given: Partial<UsageRecord> = {}): UsageRecord {
  return {
    key: usageKey(given.task_id ?? runId, 1, call),
    run_id: runId,
    caller: "lead",
    model_name: "m",
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    ...given,
  };
}

describe("usage", () => {
  it("is absent, not zero, while no call has reported any", async () => {
    expect(await usage.totals({ runId: newId() })).toBeNull();
    expect(await usage.byCaller(newId())).toEqual([]);
    await expect(usage.record([])).resolves.toBeUndefined();
  });

  it("lists each record as it was recorded, in the order of the keys", async () => {
    const runId = newId();
    const records = [aRecord(runId, 1, { cache_read_tokens: 3, response_id: "r" }), aRecord(runId, 2)];
    await usage.record(records.toReversed());

    expect(await usage.list(runId)).toEqual(records);
  });

  it("counts each key once, however often it is recorded", async () => {
    const runId = newId();
    await usage.record([aRecord(runId, 1)]);
    await Promise.all([1, 2, 3].map(() => usage.record([1, 2, 3].map((call) => aRecord(runId, call)))));
    expect(await usage.totals({ runId })).toEqual({ input_tokens: 30, output_tokens: 15, total_tokens: 45 });
  });

  it("counts the calls of lost attempts and shows cached tokens only where there are some", async () => {
    const runId = newId();
    const lost = aRecord(runId, 1, { key: usageKey(runId, 1, 1) });
    await usage.record([lost, { ...lost, key: usageKey(runId, 2, 1), cache_read_tokens: 4 }]);
    expect(await usage.totals({ runId })).toEqual({
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      cache_read_tokens: 4,
    });
  });

  it("is told for one task and for each caller and model", async () => {
    const runId = newId();
    const task = { task_id: newId(), caller: "subagent:bash" };
    await usage.record([
      aRecord(runId, 1),
      aRecord(runId, 1, task),
      aRecord(runId, 2, task),
      aRecord(runId, 3, { ...task, model_name: null }),
    ]);
    expect(await usage.totals({ runId, taskId: task.task_id })).toMatchObject({ total_tokens: 45 });
    expect(await usage.totals({ runId })).toMatchObject({ total_tokens: 60 });
    const tokens = (calls: number) => ({
      calls,
      input_tokens: calls * 10,
      output_tokens: calls * 5,
      total_tokens: calls * 15,
    });
    expect(await usage.byCaller(runId)).toEqual([
      { caller: "lead", model_name: "m", ...tokens(1) },
      { caller: "subagent:bash", model_name: null, ...tokens(1) },
      { caller: "subagent:bash", model_name: "m", ...tokens(2) },
    ]);
  });

  it("is deleted with its run", async () => {
    const runId = newId();
    await usage.record([aRecord(runId, 1)]);
    await usage.deleteRun(runId);
    expect(await usage.totals({ runId })).toBeNull();
  });
});
