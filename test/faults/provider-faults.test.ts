import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { type ModelFront, type ProviderFault, RETRY_AFTER_SECONDS, startModelFront } from "./stack/model-front.ts";
import { expectWhole } from "./stack/whole-run.ts";

const MODEL_TIMEOUT_SECONDS = 10;

let stack: FaultStack;
let front: ModelFront;
beforeAll(async () => {
  stack = await startFaultStack({
    size: { gateway: 1, "lead-runner": 1, "subagent-runner": 1 },
    document: ({ modelUrl }) => ({
      models: [
        {
          ...{ name: "scripted", provider: "openai", model: "scripted", base_url: modelUrl },
          timeout_seconds: MODEL_TIMEOUT_SECONDS,
        },
      ],
    }),
    modelUrl: async (baseUrl) => {
      front = await startModelFront(baseUrl);
      return front.baseUrl;
    },
  });
}, 300_000);
afterAll(async () => {
  await stack.stop();
  await front[Symbol.asyncDispose]();
});

const CASE_LIMIT_MS = 180_000;

/** A run of one subagent whose first model calls go wrong as planned. */
async function runUnder(...faults: readonly ProviderFault[]): Promise<string> {
  const script = gatedScript({ tasks: 1 });
  stack.script((request) => script.answer(request));
  front.plan(...faults);
  return (await stack.client().startRun()).runId;
}

describe("a provider", { timeout: CASE_LIMIT_MS }, () => {
  it("that answers 429 with Retry-After is asked again, not sooner", { tags: ["short"] }, async () => {
    const before = front.calledAtMs.length;
    const runId = await runUnder("rate_limit");

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ status: "completed", attempt: 1 }]);
    const [first = 0, second = 0] = front.calledAtMs.slice(before);
    expect(second - first).toBeGreaterThanOrEqual(RETRY_AFTER_SECONDS * 1000 * 0.9);
  });

  it.each<ProviderFault>(["server_error", "drop_mid_stream", "half_tool_call", "garbage", "hang"])(
    "that does this is asked again, and nothing of it is kept: %s",
    async (fault) => {
      const { tasks, events, usage } = await expectWhole(stack.deps.store, await runUnder(fault));

      expect(tasks).toMatchObject([{ status: "completed", attempt: 1, error: null }]);
      expect(JSON.stringify(events)).not.toContain("I was just about to");
      expect(usage.filter(({ task_id }) => task_id !== undefined)).toHaveLength(2);
    },
  );

  it("that does not recover fails the task with its reason, and the run goes on", async () => {
    const { tasks } = await expectWhole(stack.deps.store, await runUnder("rate_limit", "rate_limit", "rate_limit"));

    expect(tasks).toMatchObject([{ status: "failed", stop_reason: "model_error", attempt: 1 }]);
  });
});
