import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { Delivery } from "@antler/bus";
import { ticketSubject } from "@antler/contracts";
import { newId, newTraceContext } from "@antler/platform";
import type { DeadLetterRow, RunRow } from "@antler/store";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aRunDraft, aTaskDraft } from "../../../test/harness/rows.ts";
import { findViolations } from "../../../test/invariants/find-violations.ts";
import { takeSnapshot } from "../../../test/invariants/run-snapshot.ts";
import { buryDelivery } from "../src/bury-delivery.ts";
import { createDeadLetterSink } from "../src/dead-letter-sink.ts";
import {
  createKinds,
  createRunIntake,
  type DeliveryDeps,
  retryDeadLetter,
  type RetryDeps,
  type RunOutcome,
  startRunWorker,
  submitRun,
  waitUntilTerminal,
  type Worker,
} from "../src/index.ts";

const RUNS = ticketSubject("lead", "interactive");
const success: RunOutcome = { status: "success", stop_reason: "completed", error: null, output: null };

let stack: DeliveryStack;
let deps: RetryDeps;
let other: RetryDeps;
let worker: Worker | undefined;
const executed: string[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack();
  [deps, other] = [retrying(await stack.connect()), retrying(await stack.connect())];
});
afterEach(async () => {
  await worker?.drain(AbortSignal.abort());
  executed.splice(0);
});
afterAll(() => stack.stop());

const retrying = (connected: DeliveryDeps): RetryDeps => ({ ...connected, intake: createRunIntake(connected) });

function startRunner(execute: (run: RunRow) => Promise<RunOutcome> = async () => success): Worker {
  worker = startRunWorker({
    ...deps,
    runner: { id: "r", pid: process.pid },
    execute: (run) => {
      executed.push(run._id);
      return execute(run);
    },
  });
  return worker;
}

async function letterOf(rowId: string): Promise<DeadLetterRow> {
  const find = async () => (await deps.store.deadLetters.list({ limit: 100 })).find((one) => one.row_id === rowId);
  await expect.poll(find).toBeDefined();
  return (await find())!;
}

function ended(id: string): Promise<RunRow> {
  const wait = { bus: deps.bus, signal: AbortSignal.timeout(20_000), pollMs: 100 };
  return waitUntilTerminal(createKinds(deps).runs, id, wait);
}

/** A run on a thread of its own, whose only message cannot be read. */
async function buriedRun(given: Parameters<typeof aRunDraft>[0] = {}): Promise<RunRow> {
  const thread = await deps.store.threads.ensure({ _id: newId(), tenant_id: "default", metadata: {} });
  const draft = aRunDraft({ thread_id: thread._id, ...given });
  await deps.store.runs.insert(draft);
  deps.bus.signal(RUNS, { id: draft._id, what: "no ticket" });
  return ended(draft._id);
}

const retry = (letter: DeadLetterRow, on = deps) => retryDeadLetter(on, letter, newTraceContext());

describe("a run whose message cannot be read", () => {
  it("ends as dead-lettered, and its letter belongs to its tenant", async () => {
    const runner = startRunner();
    const run = await buriedRun();

    expect(run).toMatchObject({ status: "error", stop_reason: "dead_lettered", epoch: 1, attempt: 0 });
    expect(await letterOf(run._id)).toMatchObject({ tenant_id: "default", stream: "RUNS", subject: RUNS });
    await expect.poll(() => runner.metrics()).toMatch(/^antler_dead_letters_buried_total\{stream="RUNS"\} 1$/m);
  });

  it("is done by another run when it is retried, in the next round and once, however often it is asked for", async () => {
    startRunner();
    const run = await buriedRun({ metadata: { a: 1 }, context: { model_name: "big" }, stream_modes: ["updates"] });
    const letter = await letterOf(run._id);

    const [first, second] = await Promise.all([retry(letter), retry(letter, other)]);
    const third = await retry((await deps.store.deadLetters.get(letter._id))!);

    expect([second._id, third._id]).toEqual([first._id, first._id]);
    const { input, metadata, context, stream_modes, thread_id } = run;
    expect(first).toMatchObject({ round: 1, turn: 2, input, metadata, context, stream_modes, thread_id });
    expect(await ended(first._id)).toMatchObject({ status: "success", epoch: 1, attempt: 1 });
    expect(executed).toEqual([first._id]);
    expect((await letterOf(run._id)).retried).toMatchObject({ run_id: first._id });
    for (const id of [run._id, first._id]) {
      await expect.poll(async () => (await deps.store.runs.get(id))?.owed).toEqual([]);
      expect(findViolations(await takeSnapshot(deps.store, id))).toEqual([]);
    }
  });

  it("goes on from its last checkpoint when it had begun, unless its thread went on since", async () => {
    startRunner();
    const [run, passed] = [await buriedRun({ head: "cp-1" }), await buriedRun({ head: "cp-1" })];
    await deps.store.runs.insert(aRunDraft({ thread_id: passed.thread_id, head: "cp-2" }));

    const next = await retry(await letterOf(run._id));

    expect(next).toMatchObject({ input: null, command: null, continues: "cp-1" });
    expect(await ended(next._id)).toMatchObject({ status: "success", base: "cp-1" });
    await expect(retry(await letterOf(passed._id))).rejects.toMatchObject({ code: "dead_letter_not_retryable" });
  });

  it("waits for its thread to be free", async () => {
    startRunner();
    const run = await buriedRun();
    const holder = aRunDraft({ thread_id: run.thread_id });
    await deps.store.runs.insert(holder);
    const letter = await letterOf(run._id);

    await expect(retry(letter)).rejects.toMatchObject({ code: "thread_busy" });
    await deps.store.runs.force(holder._id, {}, { status: "success", fields: {}, owed: [] });
    const next = await retry(letter);
    expect(await ended(next._id)).toMatchObject({ turn: 3, round: 1, status: "success" });
  });
});

describe("a dead letter", () => {
  const aLetter = (row_id: string | null, retried: DeadLetterRow["retried"] = null): DeadLetterRow => ({
    ...{ _id: newId(), tenant_id: null, stream: "RUNS", subject: RUNS, reason: "", payload: "", headers: {} },
    ...{ row_id, retried, created_at: new Date() },
  });

  it.each([
    ["that names nothing", async () => aLetter(null), /names no run/],
    ["of a row that does not exist", async () => aLetter(newId()), /does not exist: discard/],
    ["of a run that goes on", async () => aLetter((await heldRun())._id), /which is pending: discard/],
    ["of a task", async () => aLetter((await aTask())._id), /send its thread a new message/],
    ["whose thread is gone", async () => aLetter((await withoutThread())._id), /thread .* exists no more/],
    ["whose retry is gone", async () => aLetter(null, { run_id: newId(), at: new Date() }), /exists no more: discard/],
  ])("is not retried: %s", async (_what, letter, message) => {
    await expect(letter().then((one) => retry(one))).rejects.toMatchObject({
      code: "dead_letter_not_retryable",
      message: expect.stringMatching(message) as string,
    });
  });

  async function heldRun(): Promise<RunRow> {
    const draft = aRunDraft();
    await deps.store.runs.insert(draft);
    return (await deps.store.runs.get(draft._id))!;
  }

  const aTask = () => deps.store.tasks.insert(aTaskDraft());

  async function withoutThread(): Promise<RunRow> {
    const { _id } = await heldRun();
    const fields = { stop_reason: "dead_lettered" };
    return (await deps.store.runs.force(_id, {}, { status: "error", fields, owed: [] }))!;
  }

  it("FC-B18 is listed while workers run, and the list removes nothing", async () => {
    const { promise: open, resolve: release } = Promise.withResolvers<RunOutcome>();
    startRunner(() => open);
    const thread = await deps.store.threads.ensure({ _id: newId(), tenant_id: "default", metadata: {} });
    const running = await submitRun(deps, aRunDraft({ thread_id: thread._id }));
    await expect.poll(() => executed).toContain(running._id);
    for (let index = 0; index < 12; index++) deps.bus.signal(RUNS, { garbage: index });
    const list = () => deps.store.deadLetters.list({ limit: 10 });
    await expect.poll(async () => payloadsIn(await deps.store.deadLetters.list({ limit: 100 }))).toHaveLength(12);

    const [once, again] = [await list(), await list()];

    expect(once).toHaveLength(10);
    expect(again).toEqual(once);
    expect(payloadsIn(await deps.store.deadLetters.list({ limit: 100 }))).toHaveLength(12);
    release(success);
    expect(await ended(running._id)).toMatchObject({ status: "success", epoch: 1 });
  });

  const payloadsIn = (letters: readonly DeadLetterRow[]) =>
    letters.filter(({ payload }) => payload.includes("garbage"));

  it("stays one when its message comes again because a step failed", async () => {
    const { runs } = createKinds(deps);
    const sink = createDeadLetterSink(deps.store, runs);
    const acks: string[] = [];
    const text = JSON.stringify({ id: newId(), what: "twice" });
    const message = {
      ...{ text, stream: "RUNS", streamSeq: 7, subject: RUNS, headers: {} },
      ack: async () => {
        acks.push("ack");
      },
    } as unknown as Delivery;
    const settleRow = () => Promise.reject(new Error("the store went away"));

    await expect(buryDelivery(message, "unreadable", { ...sink, settleRow })).rejects.toThrow("went away");
    await buryDelivery(message, "unreadable", sink);

    const letters = (await deps.store.deadLetters.list({ limit: 100 })).filter(({ payload }) => payload === text);
    expect(letters).toHaveLength(1);
    expect(acks).toEqual(["ack"]);
  });
});
