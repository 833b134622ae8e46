import { readdir } from "node:fs/promises";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { calls, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { countUnacknowledged } from "./stack/raw-bus.ts";
import type { HeldPiece } from "./stack/tcp-tap.ts";
import { expectWhole } from "./stack/whole-run.ts";
import { freezeUntil, leadOf, processAt } from "./stack/worker-of.ts";

/** Leases are short here, so that each takeover takes seconds. */
const SHORT_LEASES = { delivery: { ack_wait_seconds: 5, lease_seconds: 4, renewal_seconds: 1 } };
const CASE_LIMIT_MS = 120_000;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack({ document: () => SHORT_LEASES });
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

const runOf = (runId: string) => stack.deps.store.runs.get(runId);
const taskOf = async (runId: string) => (await stack.deps.store.tasks.listByRun(runId))[0];
const unacknowledged = (stream: string, durable: string) => countUnacknowledged(stack.bus.port, stream, durable);

/** What a process says at a moment, and how one sees that somebody else has gone on. */
interface Moment {
  readonly tap: "storeTap" | "busTap";
  readonly words: readonly string[];
  readonly taken: (runId: string) => Promise<boolean>;
}

const MOMENTS = {
  "claim of a task": {
    ...{ tap: "storeTap", words: ["findAndModify", "tasks", "runner_id"] },
    taken: async (runId) => ((await taskOf(runId))?.epoch ?? 0) >= 1,
  },
  "result of a task": {
    ...{ tap: "storeTap", words: ["findAndModify", "tasks", "result_sha256", "completed"] },
    taken: async (runId) => ((await taskOf(runId))?.epoch ?? 0) >= 2,
  },
  "ack of a task's ticket": {
    ...{ tap: "busTap", words: ["$JS.ACK.TASKS", "+ACK"] },
    taken: async () => (await unacknowledged("TASKS", "general_interactive")) === 0,
  },
  "claim of a run": {
    ...{ tap: "storeTap", words: ["findAndModify", "runs", "runner_id"] },
    taken: async (runId) => ((await runOf(runId))?.epoch ?? 0) >= 1,
  },
  "row of a task": {
    ...{ tap: "storeTap", words: ["update", "tasks", "$exists", "subagent_type"] },
    taken: async (runId) => ((await runOf(runId))?.epoch ?? 0) >= 2,
  },
  "ticket of a task": {
    ...{ tap: "busTap", words: ["tasks.general.interactive", "traceparent"] },
    taken: async (runId) => ((await runOf(runId))?.epoch ?? 0) >= 2,
  },
  "outcome of a run": {
    ...{ tap: "storeTap", words: ["findAndModify", "runs", "last_message"] },
    taken: async (runId) => ((await runOf(runId))?.epoch ?? 0) >= 2,
  },
  "ack of a run's ticket": {
    ...{ tap: "busTap", words: ["$JS.ACK.RUNS", "+ACK"] },
    taken: async () => (await unacknowledged("RUNS", "lead_interactive")) === 0,
  },
  "ticket of a run": {
    ...{ tap: "busTap", words: ["runs.interactive", "traceparent"] },
    taken: async (runId) => (await runOf(runId))?.status === "success",
  },
} satisfies Record<string, Moment>;

type MomentName = keyof typeof MOMENTS;

/** Holds what a process is about to say, with the run for which it would be said. */
async function holdAt(name: MomentName): Promise<{ readonly runId: string; readonly piece: HeldPiece }> {
  const { tap, words } = MOMENTS[name];
  const script = gatedScript({ tasks: 1 });
  stack.script((request) => script.answer(request));
  const held = stack[tap].hold(...words);
  const client = stack.client();
  const { thread_id: threadId } = (await client.post("/threads")).body as { thread_id: string };
  const input = { messages: [{ role: "user", content: "Survey." }] };
  const accepted = client.post(`/threads/${threadId}/runs`, { assistant_id: "lead", input }).catch(() => undefined);
  const piece = await held;
  void accepted;
  return { runId: (await newestRunOf(threadId))!, piece };
}

async function newestRunOf(threadId: string): Promise<string | undefined> {
  const [run] = await stack.deps.store.runs.find({ thread_id: threadId }, 1);
  return run?._id;
}

describe("SIGSTOP past the lease, and the word arrives after somebody else has gone on", () => {
  it.each(Object.keys(MOMENTS) as MomentName[])(
    "late %s: changes nothing",
    { timeout: CASE_LIMIT_MS },
    async (name) => {
      const { runId, piece } = await holdAt(name);
      const owner = await processAt(stack, piece);
      await freezeUntil(owner, async () => {
        const taken = await MOMENTS[name].taken(runId);
        if (taken) piece.forward();
        return taken;
      });

      await expectWhole(stack.deps.store, runId);
    },
  );
});

describe("kill -9 of the lead-runner", { timeout: CASE_LIMIT_MS }, () => {
  it.each([
    ["claim of a run", { attempt: 1 }],
    ["row of a task", { attempt: 2 }],
    ["ack of a run's ticket", { attempt: 1, epoch: 1 }],
  ] as const)("before this reaches its server: %s", async (name, run) => {
    const { runId, piece } = await holdAt(name);
    await stack.fleet.kill(await processAt(stack, piece));
    piece.drop();

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject(run);
  });

  it.each([
    ["claim of a run", { attempt: 2 }],
    ["row of a task", { attempt: 2, calls: { length: 1 } }],
  ] as const)("after this has reached its server: %s", async (name, run) => {
    const { runId, piece } = await holdAt(name);
    const owner = await processAt(stack, piece);
    piece.forwardWithoutReply();
    const isThere = async () => (name === "claim of a run" ? (await runOf(runId))?.epoch === 1 : await taskOf(runId));
    await expect.poll(isThere).toBeTruthy();
    await stack.fleet.kill(owner);

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject(run);
  });

  it("during a tool call of its own", async () => {
    const command = "mkdir /mnt/user-data/workspace/mark-of-lead 2>/dev/null && sleep 600; true";
    const work = calls({ name: "bash", args: { description: "work", command } });
    const hasResult = ({ messages }: ModelRequest) => messages.some(({ role }) => role === "tool");
    stack.script((request) => (isLead(request) && !hasResult(request) ? work : says("Done.")));
    const { runId } = await stack.client().startRun();
    const files = async () => readdir(stack.workspacesDir, { recursive: true });
    await expect.poll(async () => (await files()).join(), { timeout: 60_000 }).toContain("mark-of-lead");
    await stack.fleet.kill(await leadOf(stack, runId));

    expect((await expectWhole(stack.deps.store, runId)).run).toMatchObject({ attempt: 2 });
  });
});

describe("kill -9 of the gateway", { timeout: CASE_LIMIT_MS }, () => {
  const startWords = ["update", "runs", "$exists", "assistant_id"];
  const begin = async () => {
    const script = gatedScript({ tasks: 1 });
    stack.script((request) => script.answer(request));
    const client = stack.client();
    const { thread_id: threadId } = (await client.post("/threads")).body as { thread_id: string };
    const held = stack.storeTap.hold(...startWords);
    const body = { assistant_id: "lead", input: { messages: [{ role: "user", content: "Survey." }] } };
    const answered = client.post(`/threads/${threadId}/runs`, body).catch(() => undefined);
    return { threadId, body, piece: await held, answered };
  };

  it("before the row of a run reaches the store: nothing was accepted, and the next request is", async () => {
    const { threadId, body, piece, answered } = await begin();
    await stack.fleet.kill(await processAt(stack, piece));
    piece.drop();
    expect(await answered).toBeUndefined();
    expect(await newestRunOf(threadId)).toBeUndefined();

    const again = await stack.client().post(`/threads/${threadId}/runs`, body);
    expect(again.status).toBe(200);
    await expectWhole(stack.deps.store, (again.body as { run_id: string }).run_id);
  });

  it("after the row of a run has reached the store: the run is executed, though nobody was told", async () => {
    const { threadId, piece, answered } = await begin();
    const owner = await processAt(stack, piece);
    piece.forwardWithoutReply();
    await expect.poll(() => newestRunOf(threadId)).toBeTruthy();
    await stack.fleet.kill(owner);
    expect(await answered).toBeUndefined();

    await expectWhole(stack.deps.store, (await newestRunOf(threadId))!);
  });
});
