import { afterAll, beforeAll, expect, it } from "vitest";

import type { DeadLetterView, RunView } from "@antler/contracts";

import { expectWhole, settledSnapshot } from "../faults/stack/whole-run.ts";
import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { aRunDraft } from "../harness/rows.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { findViolations } from "../invariants/find-violations.ts";

let stack: ServiceStack;
let client: GatewayClient;
let answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

beforeAll(async () => {
  stack = await startServiceStack({ answer: (request) => answer(request), services: { "subagent-runner": 0 } });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

/** A run that was accepted, but whose one message nobody can read. */
async function unreadableRun(): Promise<{ runId: string; threadId: string }> {
  const { body } = await client.post("/threads", {});
  const { thread_id: threadId } = body as { thread_id: string };
  const draft = aRunDraft({ thread_id: threadId, input: { messages: [{ role: "user", content: "Do it." }] } });
  await stack.deps.store.runs.insert(draft);
  stack.deps.bus.signal("runs.interactive", { id: draft._id, written_by: "somebody else" });
  return { runId: draft._id, threadId };
}

async function metricsAt(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

it("a run whose message is a dead letter ends, and is done by the run of its retry", async () => {
  answer = () => says("Done after all.");
  const { runId, threadId } = await unreadableRun();
  const ended = await settledSnapshot(stack.deps.store, runId);
  expect(findViolations(ended)).toEqual([]);
  expect(ended.run).toMatchObject({ status: "error", stop_reason: "dead_lettered" });
  const letters = await client.get<DeadLetterView[]>("/deadletters");
  expect(letters).toMatchObject([{ row_id: runId, stream: "RUNS", retried_run_id: null }]);
  const runner = stack.processes.find(({ name }) => name === "lead-runner");
  expect(await metricsAt(`http://127.0.0.1:${runner?.port}`)).toContain('buried_total{stream="RUNS"} 1\n');
  expect(await metricsAt(stack.url)).toContain('antler_dead_letters{stream="RUNS"} 1\n');
  const retry = () => client.post(`/deadletters/${letters[0]?.dead_letter_id}/retry`, undefined);

  const answers = await Promise.all([retry(), retry()]);

  const [first, second] = answers.map(({ body }) => body as RunView);
  expect(second?.run_id).toBe(first?.run_id);
  const { run } = await expectWhole(stack.deps.store, first?.run_id ?? "");
  expect(run).toMatchObject({ thread_id: threadId, round: 1, epoch: 1 });
  const state = await client.get<{ values: { messages: { type: string; content: unknown }[] } }>(
    `/threads/${threadId}/state`,
  );
  expect(state.values.messages.map(({ type, content }) => [type, content])).toEqual([
    ["human", "Do it."],
    ["ai", "Done after all."],
  ]);
  expect(stack.model.requests).toHaveLength(1);
  expect(await metricsAt(stack.url)).toContain('antler_dead_letters{stream="RUNS"} 0\n');
});

it("a run that had begun is gone on with from its checkpoint when its dead letter is retried", async () => {
  const reached = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<undefined>();
  answer = async ({ messages }) => {
    if (!messages.some(({ role }) => role === "tool"))
      return calls({ name: "write_todos", args: { todos: [{ content: "Begin", status: "completed" }] }, id: "call_1" });
    reached.resolve(undefined);
    await held.promise;
    return says("Gone on.");
  };
  const { runId, threadId } = await client.startRun();
  await reached.promise;
  const requests = stack.model.requests.length;
  const fields = { stop_reason: "dead_lettered", error: { code: "internal", message: "unreadable" }, output: null };
  await stack.deps.store.runs.force(runId, {}, { status: "error", fields, owed: ["sweep", "end_event", "signal"] });
  const letter = { _id: "of-a-begun-run", tenant_id: "default", stream: "RUNS", subject: "runs.interactive" };
  await stack.deps.store.deadLetters.record({ ...letter, reason: "r", payload: "p", headers: {}, row_id: runId });

  const { body } = await client.post("/deadletters/of-a-begun-run/retry");
  held.resolve(undefined);

  const { run } = await expectWhole(stack.deps.store, (body as RunView).run_id);
  expect(run).toMatchObject({ round: 1, input: null });
  expect(stack.model.requests).toHaveLength(requests + 1);
  const state = await client.get<{ values: { messages: { type: string }[] } }>(`/threads/${threadId}/state`);
  expect(state.values.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
});
