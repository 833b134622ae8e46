import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { RunView, ThreadView } from "@antler/contracts";
import { type RunRequest, submitRun } from "@antler/delivery";

import { expectWhole, settledSnapshot } from "../faults/stack/whole-run.ts";
import { aRunRequest } from "../harness/delivery-stack.ts";
import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { findViolations } from "../invariants/find-violations.ts";

let stack: ServiceStack;
let client: GatewayClient;
let gate: Promise<unknown>;

/** A lead that asks two questions one after the other, then repeats what it was told. */
async function answer(request: ModelRequest): Promise<ModelAnswer> {
  await gate;
  const told = request.messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  if (told.length === 2) return says(`Told: ${told.join(", ")}`);
  const question = told.length === 0 ? "First?" : "Second?";
  return calls({ name: "ask_clarification", args: { question }, id: `call_${told.length}` });
}

beforeAll(async () => {
  stack = await startServiceStack({ answer, services: { "subagent-runner": 0 } });
  client = gatewayClient(stack.url);
});
beforeEach(() => {
  gate = Promise.resolve();
});
afterAll(() => stack.stop());

const resume = (threadId: string, given: unknown, suffix = "") =>
  client.post(`/threads/${threadId}/runs${suffix}`, { assistant_id: "lead", command: { resume: given } });

async function asked(threadId: string): Promise<unknown[]> {
  const { interrupts } = await client.get<ThreadView>(`/threads/${threadId}`);
  return (Object.values(interrupts) as { value: { question: string } }[][]).flat().map(({ value }) => value.question);
}

/** The end of a run that was let in although its answer came too late. */
async function submitted(request: Partial<RunRequest>) {
  const run = await submitRun(stack.deps, aRunRequest({ input: null, ...request }));
  const snapshot = await settledSnapshot(stack.deps.store, run._id);
  expect(findViolations(snapshot)).toEqual([]);
  return snapshot.run;
}

describe("answers to one question that come together", () => {
  it("are one answer: the others are refused or end without a model call, and the next question waits", async () => {
    const ids = await client.startRun();
    const { threadId } = ids;
    await client.join(ids);
    const firstQuestion = await stack.deps.store.runs.newestHead(threadId);
    expect(await asked(threadId)).toEqual(["First?"]);
    const opened = Promise.withResolvers<undefined>();
    gate = opened.promise;

    const answers = await Promise.all(["a", "b", "c", "d"].map((each) => resume(threadId, each)));
    opened.resolve(undefined);

    const codes = answers.map(({ status, body }) => (status === 200 ? "accepted" : (body as { code: string }).code));
    expect(codes.toSorted()).toEqual(["accepted", "thread_busy", "thread_busy", "thread_busy"]);
    const { run_id: runId } = answers.find(({ status }) => status === 200)?.body as RunView;
    await expectWhole(stack.deps.store, runId, "interrupted");
    expect(await asked(threadId)).toEqual(["Second?"]);
    const requests = stack.model.requests.length;

    const late = await submitted({ thread_id: threadId, command: { resume: "late" }, continues: firstQuestion! });

    expect(late).toMatchObject({ status: "error", stop_reason: "stale_resume", error: { code: "nothing_to_resume" } });
    expect(stack.model.requests).toHaveLength(requests);
    expect(await asked(threadId)).toEqual(["Second?"]);
    const last = (await resume(threadId, "z", "/wait")).body as { messages: { content: string }[] };
    expect(last.messages.at(-1)?.content).toMatch(/^Told: "[abcd]", "z"$/);
  });

  it("are an error on a thread that has finished", async () => {
    const ids = await client.startRun();
    const { threadId } = ids;
    await client.join(ids);
    await resume(threadId, "one", "/wait");
    await resume(threadId, "two", "/wait");
    const requests = stack.model.requests.length;
    expect(await resume(threadId, "three")).toMatchObject({ status: 409, body: { code: "nothing_to_resume" } });

    const run = await submitted({ thread_id: threadId, command: { resume: "three" } });

    expect(run).toMatchObject({ status: "error", error: { code: "nothing_to_resume" }, head: null });
    expect(stack.model.requests).toHaveLength(requests);
    const { body } = await resume(threadId, "again");
    expect(body).toMatchObject({ code: "nothing_to_resume" });
  });
});
