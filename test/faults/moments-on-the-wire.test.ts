import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { expectWhole } from "./stack/whole-run.ts";
import { leadOf, taskWorkerOf } from "./stack/worker-of.ts";

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const CASE_LIMIT_MS = 180_000;

/** What a process says at the moment in question. */
const CLAIM_OF_TASK = ["findAndModify", "tasks", "runner_id"];
const COMMIT_OF_TASK = ["findAndModify", "tasks", "result_sha256", "completed"];
const COMMIT_OF_RUN = ["findAndModify", "runs", "last_message"];
const PUBLICATION_OF_TASK = ["tasks.general.interactive", "traceparent"];
const ACK_OF_TASK = ["$JS.ACK.TASKS", "+ACK"];

async function startRun(tasks = 1): Promise<string> {
  const script = gatedScript({ tasks });
  stack.script((request) => script.answer(request));
  return (await stack.client().startRun()).runId;
}

describe("kill -9 of the subagent-runner", { timeout: CASE_LIMIT_MS }, () => {
  it("before its claim reaches the store", async () => {
    const held = stack.storeTap.hold(...CLAIM_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    await Promise.all(stack.fleet.of("subagent-runner").map((runner) => stack.fleet.kill(runner)));
    piece.drop();
    await stack.fleet.heal();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1, epoch: 1 }]);
  });

  it("after its claim, before the answer", async () => {
    const held = stack.storeTap.hold(...CLAIM_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    piece.forwardWithoutReply();
    await expect.poll(async () => (await stack.deps.store.tasks.listByRun(runId))[0]?.epoch).toBe(1);
    await stack.fleet.kill(await taskWorkerOf(stack, runId));

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 2 }]);
  });

  it("before its result reaches the store", async () => {
    const held = stack.storeTap.hold(...COMMIT_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    await stack.fleet.kill(await taskWorkerOf(stack, runId));
    piece.drop();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 2 }]);
  });

  it("after its result is stored, before its ack [FC-B14]", { tags: ["short"] }, async () => {
    const held = stack.storeTap.hold(...COMMIT_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    const worker = await taskWorkerOf(stack, runId);
    piece.forwardWithoutReply();
    await expect.poll(async () => (await stack.deps.store.tasks.listByRun(runId))[0]?.status).toBe("completed");
    await stack.fleet.kill(worker);

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1, epoch: 1 }]);
  });

  it("before its ack reaches the bus: the ticket comes again and changes nothing [FC-B14]", async () => {
    const held = stack.busTap.hold(...ACK_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    await stack.fleet.kill(await taskWorkerOf(stack, runId));
    piece.drop();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1, epoch: 1 }]);
  });
});

describe("kill -9 of the lead-runner", { timeout: CASE_LIMIT_MS }, () => {
  it("before the ticket of its task reaches the bus", async () => {
    const held = stack.busTap.hold(...PUBLICATION_OF_TASK);
    const runId = await startRun();
    const piece = await held;
    await stack.fleet.kill(await leadOf(stack, runId));
    piece.drop();

    expect((await expectWhole(stack.deps.store, runId)).tasks).toMatchObject([{ attempt: 1 }]);
  });

  it("before its outcome reaches the store", async () => {
    const held = stack.storeTap.hold(...COMMIT_OF_RUN);
    const runId = await startRun();
    const piece = await held;
    await stack.fleet.kill(await leadOf(stack, runId));
    piece.drop();

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ attempt: 2 });
  });

  it("after its outcome is stored, before it ended the log", async () => {
    const held = stack.storeTap.hold(...COMMIT_OF_RUN);
    const runId = await startRun();
    const piece = await held;
    const lead = await leadOf(stack, runId);
    piece.forwardWithoutReply();
    await expect.poll(async () => (await stack.deps.store.runs.get(runId))?.status).toBe("success");
    await stack.fleet.kill(lead);

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ attempt: 1, epoch: 1 });
  });
});

describe("kill -9 of the gateway", { timeout: CASE_LIMIT_MS }, () => {
  it("before the ticket of an accepted run reaches the bus", async () => {
    const script = gatedScript();
    stack.script((request) => script.answer(request));
    const client = stack.client();
    const { thread_id: threadId } = (await client.post("/threads")).body as { thread_id: string };
    const held = stack.busTap.hold("runs.interactive", "traceparent");
    const input = { messages: [{ role: "user", content: "Survey." }] };
    const accepted = client.post(`/threads/${threadId}/runs`, { assistant_id: "lead", input }).catch(() => undefined);
    const piece = await held;
    const run = await stack.deps.store.runs.holderOf(threadId);
    await stack.fleet.kill(stack.fleet.of("gateway")[0]!);
    piece.drop();
    await accepted;

    await expectWhole(stack.deps.store, run?._id ?? "");
  });
});
