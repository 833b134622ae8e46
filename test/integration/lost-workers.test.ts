import { afterEach, describe, expect, it } from "vitest";

import type { RunEvent } from "@antler/contracts";

import { gatewayClient, type RunIds } from "../harness/gateway-client.ts";
import { isLead, surveyAnswers } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

let stack: ServiceStack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

/** Starts a run of three subagents and waits until each stands between its first tool call and its answer. */
async function startInterruptible() {
  const waiting = Promise.withResolvers<undefined>();
  const open = Promise.withResolvers<undefined>();
  const asking = new Set<string>();
  const answer = surveyAnswers({
    types: ["general-purpose", "general-purpose", "general-purpose"],
    turns: 2,
    beforeAnswer: async ({ prompt, turn }) => {
      if (turn === 1) asking.add(prompt);
      if (asking.size === 3) waiting.resolve(undefined);
      if (turn === 1) await open.promise;
    },
  });
  const started = await startServiceStack({ answer });
  stack = started;
  const client = gatewayClient(started.url);
  const ids = await client.startRun();
  await waiting.promise;
  return { started, client, ids, open };
}

const TASKS = 3;
const MODEL_CALL_TOKENS = 15;

/** What must hold of a run however often its workers died. */
async function expectWhole(started: ServiceStack, { runId, threadId }: RunIds): Promise<void> {
  const { store } = started.deps;
  const run = await store.runs.get(runId);
  const tasks = await store.tasks.listByRun(runId);
  const log = await store.events.read(runId, { afterSeq: 0, limit: 1000 });

  expect(run).toMatchObject({ status: "success", stop_reason: "completed" });
  expect(tasks.map(({ status }) => status)).toEqual(Array.from({ length: TASKS }, () => "completed"));
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_event, index) => index + 1));
  expect(log.at(-1)?.type).toBe("run.end");
  for (const task of tasks) expectStepsOnce(log, task._id, task.attempt);

  const state = await store.states.readState(threadId, run?.head ?? "");
  const messages = state?.values["messages"] as { type: string; tool_call_id?: string }[];
  const answered = messages.filter(({ type }) => type === "tool").map(({ tool_call_id }) => tool_call_id);
  expect(answered.sort()).toEqual(["call_part_1", "call_part_2", "call_part_3"]);
  expect(messages.filter(({ type }) => type === "human")).toHaveLength(1);
}

function expectStepsOnce(log: readonly RunEvent[], taskId: string, attempt: number): void {
  const own = log.filter(({ task_id }) => task_id === taskId);
  const steps = own.filter(({ type, data }) => type === "subagent.step" && data["attempt"] === attempt);
  expect(steps.map(({ data }) => data["message_index"])).toEqual([1, 2, 3, 4, 5]);
  expect(own.filter(({ type }) => type === "subagent.end")).toHaveLength(1);
}

describe("a run survives", { timeout: 120_000 }, () => {
  it("kill -9 of a subagent-runner in the middle of its tasks", async () => {
    const { started, client, ids, open } = await startInterruptible();
    const tasks = await started.deps.store.tasks.listByRun(ids.runId);
    const victim = started.processes.find(({ pid }) => pid === tasks[0]?.claim?.pid);
    const lost = tasks.filter(({ claim }) => claim?.pid === victim?.pid).length;
    expect(victim).toBeDefined();
    expect(lost).toBeGreaterThan(0);
    victim?.kill("SIGKILL");
    await victim?.exited;
    open.resolve(undefined);
    await client.join(ids);

    await expectWhole(started, ids);
    const ended = await started.deps.store.tasks.listByRun(ids.runId);
    expect(ended.filter(({ attempt }) => attempt === 2)).toHaveLength(lost);
    const usage = await started.deps.store.usage.totals({ runId: ids.runId });
    const modelCalls = 2 + TASKS * 3 + lost;
    expect(usage?.total_tokens).toBe(modelCalls * MODEL_CALL_TOKENS);
  });

  it("kill -9 of its lead-runner while it waits for its tasks", async () => {
    const { started, client, ids, open } = await startInterruptible();
    const victim = started.processes.find(({ name }) => name === "lead-runner");
    expect(victim).toBeDefined();
    victim?.kill("SIGKILL");
    await victim?.exited;
    await started.start("lead-runner");
    open.resolve(undefined);
    await client.join(ids);

    await expectWhole(started, ids);
    expect(await started.deps.store.runs.get(ids.runId)).toMatchObject({ attempt: 2, epoch: 2 });
    expect(started.model.requests.filter(isLead)).toHaveLength(2);
    const usage = await started.deps.store.usage.totals({ runId: ids.runId });
    expect(usage?.total_tokens).toBe((2 + TASKS * 3) * MODEL_CALL_TOKENS);
  });
});
