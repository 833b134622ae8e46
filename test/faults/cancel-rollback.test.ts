import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunView, ThreadView } from "@antler/contracts";

import type { RunIds } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { newThread, openCallsOf, startMarked } from "./stack/cancelled-run.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { expectWhole } from "./stack/whole-run.ts";

const CASE_LIMIT_MS = 120_000;
const HISTORY = 100;

let stack: FaultStack;
/** Whoever of these asks the model while there is a gate tells it, and waits for it to be opened. */
let gate: { readonly of: typeof isLead; readonly reached: () => void; readonly opened: Promise<void> } | undefined;

beforeAll(async () => {
  stack = await startFaultStack({ size: { gateway: 1, "lead-runner": 1, "subagent-runner": 1 } });
  stack.script(async (request) => {
    if (gate?.of(request) === true) {
      gate.reached();
      await gate.opened;
    }
    return answer(request);
  });
}, 300_000);
afterAll(() => stack.stop());

/** A lead that asks or delegates when it is told so, and says what it was told otherwise. */
function answer(request: ModelRequest): ModelAnswer {
  const last = request.messages.at(-1);
  const text = JSON.stringify(last?.content);
  if (!isLead(request)) return says("Looked.");
  if (last?.role === "user" && text.includes("ask"))
    return calls({ name: "ask_clarification", args: { question: "Which?" } });
  if (last?.role === "user" && text.includes("delegate")) {
    const args = { description: "look", prompt: "Look.", subagent_type: "general-purpose" };
    return calls({ name: "task", args });
  }
  return says(`Told: ${text}`);
}

/** Stops the model before its next answer to these. */
function closeGate(of = isLead) {
  const reached = Promise.withResolvers<undefined>();
  const opened = Promise.withResolvers<undefined>();
  gate = { of, reached: () => reached.resolve(undefined), opened: opened.promise.then(() => undefined) };
  return {
    reached: reached.promise,
    open() {
      gate = undefined;
      opened.resolve(undefined);
    },
  };
}

/** All that a user can see of a thread, and what the next run begins with. */
async function viewOf(threadId: string) {
  const client = stack.client();
  const head = await stack.deps.store.runs.newestHead(threadId);
  return {
    thread: await client.get<ThreadView>(`/threads/${threadId}`),
    state: await client.get<object>(`/threads/${threadId}/state`),
    history: head === null ? [] : await stack.deps.store.states.history(threadId, head, HISTORY),
  };
}

async function ended(threadId: string, says: string): Promise<RunIds> {
  const ids = await startMarked(stack.client(), says, threadId);
  await stack.client().join(ids);
  await expectWhole(stack.deps.store, ids.runId, says === "ask" ? "interrupted" : "success");
  return ids;
}

/** Cancels a run that is held in a model call, and lets the model answer afterwards. */
async function rollBack({ threadId, runId }: RunIds, held: ReturnType<typeof closeGate>) {
  await held.reached;
  const answered = await stack.client().post(`/threads/${threadId}/runs/${runId}/cancel?action=rollback&wait=true`);
  held.open();
  expect(answered.status).toBe(204);
  const { run } = await expectWhole(stack.deps.store, runId, "error");
  expect(run).toMatchObject({ stop_reason: "rolled_back", head: null, error: { message: "Rolled back by user" } });
}

async function resume(threadId: string, says: string): Promise<RunIds> {
  const body = { assistant_id: "lead", input: null, command: { resume: says } };
  const created = await stack.client().post(`/threads/${threadId}/runs`, body);
  expect(created.status).toBe(200);
  return { threadId, runId: (created.body as RunView).run_id };
}

describe("rollback restores the thread", { timeout: CASE_LIMIT_MS }, () => {
  it("of its first run", async () => {
    const threadId = await newThread(stack.client());
    const before = await viewOf(threadId);
    const held = closeGate();
    await rollBack(await startMarked(stack.client(), "hello", threadId), held);

    expect(await viewOf(threadId)).toEqual(before);
    expect(before.thread).toMatchObject({ status: "idle", values: null });
    await ended(threadId, "hello again");
  });

  it("of a run that has delegated after another run", async () => {
    const threadId = await newThread(stack.client());
    await ended(threadId, "hello");
    const before = await viewOf(threadId);
    const held = closeGate((request) => !isLead(request));
    const run = await startMarked(stack.client(), "delegate", threadId);
    await rollBack(run, held);

    expect(await viewOf(threadId)).toEqual(before);
    expect(before.history.length).toBeGreaterThan(1);
    expect(await stack.deps.store.tasks.listByRun(run.runId)).toMatchObject([{ status: "cancelled" }]);
    await ended(threadId, "hello again");
    expect(await openCallsOf(stack.client(), threadId)).toEqual([]);
  });

  it("of a run that had an answer to go on with: the question is open again", async () => {
    const threadId = await newThread(stack.client());
    await ended(threadId, "ask");
    const before = await viewOf(threadId);
    const held = closeGate();
    await rollBack(await resume(threadId, "the first"), held);

    expect(await viewOf(threadId)).toEqual(before);
    expect(before.thread.status).toBe("interrupted");
    const next = await resume(threadId, "the second");
    const { messages } = await expectWhole(stack.deps.store, next.runId);
    expect(JSON.stringify(messages.at(-1)?.content)).toContain("the second");
  });
});

describe("a run that has ended", { timeout: CASE_LIMIT_MS }, () => {
  const cancel = ({ threadId, runId }: RunIds, action: string) =>
    stack.client().post(`/threads/${threadId}/runs/${runId}/cancel?action=${action}`);

  it.each(["interrupt", "rollback"])("with a question is not cancelled, and takes its answer: %s", async (action) => {
    const threadId = await newThread(stack.client());
    const asked = await ended(threadId, "ask");

    expect(await cancel(asked, action)).toMatchObject({ status: 409, body: { code: "run_not_cancellable" } });
    await expectWhole(stack.deps.store, (await resume(threadId, "this one")).runId);
  });

  it.each(["interrupt", "rollback"])("with its answer is not cancelled: %s", async (action) => {
    const threadId = await newThread(stack.client());
    const run = await ended(threadId, "hello");
    const before = await viewOf(threadId);

    expect(await cancel(run, action)).toMatchObject({ status: 409, body: { code: "run_not_cancellable" } });
    expect(await viewOf(threadId)).toEqual(before);
  });
});
