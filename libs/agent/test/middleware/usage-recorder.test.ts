import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import type { UsageRecord } from "@antler/contracts";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { createModels, executeTask } from "../../src/index.ts";
import { createUsageRecorder } from "../../src/middleware/usage-recorder.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces } from "../support/executions.ts";

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

/** A recorder over a ledger that keeps one record a key. */
function aUsageRecorder() {
  const ledger = new Map<string, UsageRecord>();
  const sink = {
    record: async (records: readonly UsageRecord[]) => {
      for (const record of records) if (!ledger.has(record.key)) ledger.set(record.key, record);
    },
  };
  const owner = { ownerId: "task", runId: "run", caller: "subagent:bash", modelName: "main" };
  const recorderOf = (epoch: number) => createUsageRecorder({ ...owner, sink, epoch });
  return { recorderOf, records: () => [...ledger.values()] };
}

const answer = (fields: object) => new AIMessage({ content: "x", ...fields });

describe("the usage of a model call", () => {
  it("DF-U1 is one record, under the claim that made the call and with the provider's id", async () => {
    const { recorderOf, records } = aUsageRecorder();
    await recorderOf(1).record(answer({ id: "response-1", usage_metadata: usage }));
    await recorderOf(1).record(answer({ id: "response-1", usage_metadata: usage }));

    expect(records()).toMatchObject([{ key: "task:1:1", response_id: "response-1", total_tokens: 15 }]);
  });

  it.each([
    ["none", {}],
    ["only zeros", { usage_metadata: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }],
    ["nothing but a sum that is no number", { usage_metadata: { total_tokens: NaN } }],
    ["nulls", { usage_metadata: { input_tokens: null, output_tokens: null, total_tokens: null } }],
    ["texts and debts", { usage_metadata: { input_tokens: "05", output_tokens: -3, total_tokens: "05-3" } }],
  ])("DF-U3 leaves no record when the provider gave %s", async (_name, fields) => {
    const { recorderOf, records } = aUsageRecorder();
    const recorder = recorderOf(1);
    await recorder.record(answer(fields));

    expect(records()).toEqual([]);
    expect(recorder.total()).toBeNull();
  });

  it("DF-U4 is counted although an earlier answer had none", async () => {
    const { recorderOf, records } = aUsageRecorder();
    const recorder = recorderOf(1);
    await recorder.record(answer({}));
    await recorder.record(answer({ usage_metadata: { ...usage, total_tokens: 0 } }));

    expect(records()).toMatchObject([{ key: "task:1:2", total_tokens: 15 }]);
  });

  it.each([
    ["model_name", { model_name: "big-2", model: "other" }, "big-2"],
    ["model", { model: "big-2" }, "big-2"],
    ["neither: the configured name", {}, "main"],
  ])("DF-U5 names the model by %s", async (_name, response_metadata, model) => {
    const { recorderOf, records } = aUsageRecorder();
    await recorderOf(1).record(answer({ usage_metadata: usage, response_metadata }));

    expect(records()).toMatchObject([{ model_name: model }]);
  });

  it("DF-U6 does not change with what a reader does to a total", async () => {
    const recorder = aUsageRecorder().recorderOf(1);
    await recorder.record(answer({ usage_metadata: usage }));
    Object.assign(recorder.total() ?? {}, { total_tokens: 0 });
    await recorder.record(answer({ usage_metadata: usage }));

    expect(recorder.total()).toEqual({ input_tokens: 20, output_tokens: 10, total_tokens: 30 });
  });
});

it("DF-X6 is known with the steps while a subagent still works", async () => {
  const seen: unknown[] = [];
  const recorder = aRecorder();
  const list = calls({ name: "ls", args: { description: "look", path: "/mnt/user-data/outputs" } });
  await using server = await startModelServer((request, index) => {
    seen.push(recorder.usage.length);
    return inOrder(list, says("Done"))(request, index);
  });
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  await executeTask({ config, models: createModels(config, {}), ...opened, ...recorder.sinks }, aTask(), aLease());

  expect(seen).toEqual([0, 1]);
});
