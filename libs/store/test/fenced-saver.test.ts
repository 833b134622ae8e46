import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type Checkpoint, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import { aRunDraft } from "../../../test/harness/rows.ts";
import { CHECKPOINT_MAX_BYTES } from "../src/checkpoint-writer.ts";
import type { FencedSaver, RunRow, Store } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let store: Store;

beforeAll(async () => {
  harness = await startStore();
  store = harness.store;
});
afterAll(() => harness.stop());

let clock = 0;
const aCheckpoint = (values: Record<string, unknown> = {}): Checkpoint => ({
  ...emptyCheckpoint(),
  id: uuid6(clock++),
  channel_values: values,
});
const metadata = (step: number) => ({ source: "loop" as const, step, parents: {} });
const at = (threadId: string, checkpointId?: string, namespace = "") => ({
  configurable: {
    thread_id: threadId,
    checkpoint_ns: namespace,
    ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
  },
});
const drain = async <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);
const idOf = (tuple: { config: { configurable?: Record<string, unknown> } } | undefined) =>
  tuple?.config.configurable?.["checkpoint_id"];

interface Claimed {
  readonly run: RunRow;
  readonly saver: FencedSaver;
}

/** A run of the thread, claimed by a worker, with the lock given back so that the next may follow. */
async function claimRun(threadId: string): Promise<Claimed> {
  const insertion = await store.runs.insert({ ...aRunDraft({ thread_id: threadId }), lock: newId() });
  if (insertion.kind !== "inserted") throw new Error(insertion.kind);
  return claimAgain(insertion.run._id);
}

async function claimAgain(runId: string): Promise<Claimed> {
  await harness.collections.runs.updateOne({ _id: runId }, { $set: { lease_until: new Date(0) } });
  const claimId = newId();
  const run = await store.runs.claim(runId, { id: claimId, runner_id: "r", pid: 1 }, 60_000);
  if (run === undefined) throw new Error("The claim was refused");
  const fence = { runId, epoch: run.epoch, claimId };
  await store.runs.chooseBase({ id: runId, epoch: run.epoch, claimId });
  return { run, saver: store.saver(fence) };
}

/** Puts checkpoints one after the other, each the child of the one before. */
async function putChain(saver: FencedSaver, threadId: string, count: number, from?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let step = 0; step < count; step++) {
    const checkpoint = aCheckpoint({ step });
    await saver.put(at(threadId, ids.at(-1) ?? from), checkpoint, metadata(step));
    ids.push(checkpoint.id);
  }
  return ids;
}

const headOf = async (runId: string) => (await store.runs.get(runId))?.head;

describe("a run that is rolled back", () => {
  it("takes its answers along, and leaves a question that an earlier run asked before it", async () => {
    const threadId = newId();
    const asking = await claimRun(threadId);
    const [head = ""] = await putChain(asking.saver, threadId, 1);
    const question = { id: "0".repeat(32), value: { question: "Which?" } };
    for (const task of ["first", "second"])
      await asking.saver.putWrites(at(threadId, head), [["__interrupt__", [question]]], task);
    const answering = await claimRun(threadId);
    await answering.saver.putWrites(at(threadId, head), [["__resume__", ["this"]]], "first");
    await answering.saver.putWrites(at(threadId, head), [["messages", "answered"]], "first");
    await answering.saver.putWrites(at(threadId, head), [["__interrupt__", [question]]], "second");
    const openTasks = async () => (await store.states.readState(threadId, head))?.interrupts.map((one) => one.task_id);
    expect(await openTasks()).toEqual(["second"]);
    await store.checkpoints.keepOnlyHead(answering.run._id, null);

    expect((await openTasks())?.sort()).toEqual(["first", "second"]);
    expect((await asking.saver.getTuple(at(threadId, head)))?.pendingWrites).toHaveLength(2);
  });
});

describe("the head of a run", () => {
  it("is moved by put and read without an id", async () => {
    const threadId = newId();
    const { run, saver } = await claimRun(threadId);
    expect(await saver.getTuple(at(threadId))).toBeUndefined();
    const [first, second] = await putChain(saver, threadId, 2);
    expect(await headOf(run._id)).toBe(second);
    const tuple = await saver.getTuple(at(threadId));
    expect(tuple?.checkpoint.channel_values).toEqual({ step: 1 });
    expect(tuple?.metadata).toEqual(metadata(1));
    expect(tuple?.parentConfig?.configurable).toEqual({ thread_id: threadId, checkpoint_ns: "", checkpoint_id: first });
    expect(idOf(await saver.getTuple(at(threadId, first)))).toBe(first);
  });

  it("is the base of the next turn until that turn has its own", async () => {
    const threadId = newId();
    const first = await claimRun(threadId);
    const head = (await putChain(first.saver, threadId, 2)).at(-1);
    const next = await claimRun(threadId);
    expect(idOf(await next.saver.getTuple(at(threadId)))).toBe(head);
    const [own] = await putChain(next.saver, threadId, 1, head);
    expect(idOf(await next.saver.getTuple(at(threadId)))).toBe(own);
    expect(await headOf(first.run._id)).toBe(head);
  });

  it("is not moved by a worker that lost its claim, and its checkpoint does not exist for the next one", async () => {
    const threadId = newId();
    const stale = await claimRun(threadId);
    const [kept] = await putChain(stale.saver, threadId, 1);
    const holder = await claimAgain(stale.run._id);
    await expect(putChain(stale.saver, threadId, 1, kept)).rejects.toMatchObject({ code: "lease_lost" });
    expect(idOf(await holder.saver.getTuple(at(threadId)))).toBe(kept);
    expect((await drain(holder.saver.list(at(threadId)))).map(idOf)).toEqual([kept]);
    const upserted = await harness.collections.checkpoints.countDocuments({ thread_id: threadId });
    expect(upserted).toBe(2);
  });

  it("is fenced by the claim id too", async () => {
    const threadId = newId();
    const { run } = await claimRun(threadId);
    const impostor = store.saver({ runId: run._id, epoch: run.epoch, claimId: newId() });
    await expect(putChain(impostor, threadId, 1)).rejects.toMatchObject({ code: "lease_lost" });
    expect(await headOf(run._id)).toBeNull();
  });

  it("leaves a put repeatable", async () => {
    const threadId = newId();
    const { saver } = await claimRun(threadId);
    const checkpoint = aCheckpoint({ n: 1 });
    await saver.put(at(threadId), checkpoint, metadata(0));
    await saver.put(at(threadId), checkpoint, metadata(0));
    expect(await drain(saver.list(at(threadId)))).toHaveLength(1);
  });
});

describe("pending writes", () => {
  it("stay as first stored, except errors, interrupts and resume values", async () => {
    const threadId = newId();
    const { saver } = await claimRun(threadId);
    const [id] = await putChain(saver, threadId, 1);
    await saver.putWrites(at(threadId, id), [["messages", "first"]], "task");
    await saver.putWrites(at(threadId, id), [["messages", "second"]], "task");
    await saver.putWrites(at(threadId, id), [["__error__", "one"]], "task");
    await saver.putWrites(at(threadId, id), [["__error__", "two"]], "task");
    const tuple = await saver.getTuple(at(threadId));
    expect(tuple?.pendingWrites).toEqual([
      ["task", "__error__", "two"],
      ["task", "messages", "first"],
    ]);
  });

  it("come back in the order of the tasks' paths", async () => {
    const threadId = newId();
    const { saver } = await claimRun(threadId);
    const [id] = await putChain(saver, threadId, 1);
    await saver.putWrites(at(threadId, id), [["c", 2]], "a-task", "~2");
    await saver.putWrites(at(threadId, id), [["c", 1]], "z-task", "~1");
    expect((await saver.getTuple(at(threadId)))?.pendingWrites?.map(([task]) => task)).toEqual(["z-task", "a-task"]);
  });

  it("are refused after the claim is lost", async () => {
    const threadId = newId();
    const stale = await claimRun(threadId);
    const [id] = await putChain(stale.saver, threadId, 1);
    const holder = await claimAgain(stale.run._id);
    const write = stale.saver.putWrites(at(threadId, id), [["messages", "stale"]], "task");
    await expect(write).rejects.toMatchObject({ code: "lease_lost" });
    expect((await holder.saver.getTuple(at(threadId)))?.pendingWrites).toEqual([]);
  });
});

describe("history", () => {
  it("walks parents over the turns, newest first, with limit, before and filter", async () => {
    const threadId = newId();
    const first = await claimRun(threadId);
    const early = await putChain(first.saver, threadId, 2);
    const next = await claimRun(threadId);
    const late = await putChain(next.saver, threadId, 2, early.at(-1));
    const lineage = [...early, ...late].toReversed();
    const list = async (options = {}) => (await drain(next.saver.list(at(threadId), options))).map(idOf);
    expect(await list()).toEqual(lineage);
    expect(await list({ limit: 2 })).toEqual(lineage.slice(0, 2));
    expect(await list({ before: at(threadId, late[0]) })).toEqual(lineage.slice(2));
    expect(await list({ filter: { step: 0 } })).toEqual([late[0], early[0]]);
    expect(await list({ before: at(threadId, "unknown") })).toEqual([]);
  });

  it("goes on with the turn before when only the heads of older turns were kept", async () => {
    const threadId = newId();
    const heads: (string | undefined)[] = [];
    for (const turn of [1, 2, 3]) {
      const { run, saver } = await claimRun(threadId);
      heads.push((await putChain(saver, threadId, turn + 1, heads.at(-1))).at(-1));
      if (turn < 3) await store.checkpoints.keepOnlyHead(run._id, heads.at(-1) ?? null);
    }
    const { saver } = await claimRun(threadId);
    const ids = (await drain(saver.list(at(threadId)))).map(idOf);
    expect(ids).toHaveLength(6);
    expect([ids[0], ids[4], ids[5]]).toEqual([heads[2], heads[1], heads[0]]);
  });
});

describe("subgraphs", () => {
  it("have checkpoints of their own that do not move the head", async () => {
    const threadId = newId();
    const { run, saver } = await claimRun(threadId);
    const [root] = await putChain(saver, threadId, 1);
    const inner = aCheckpoint({ inner: true });
    await saver.put(at(threadId, undefined, "tools:1"), inner, metadata(0));
    expect(await headOf(run._id)).toBe(root);
    expect(idOf(await saver.getTuple(at(threadId, undefined, "tools:1")))).toBe(inner.id);
    expect(await saver.getTuple(at(threadId, undefined, "tools:2"))).toBeUndefined();
  });

  it("continue from what the latest claim wrote, not from a later write of an earlier one", async () => {
    const threadId = newId();
    const stale = await claimRun(threadId);
    const holder = await claimAgain(stale.run._id);
    const config = at(threadId, undefined, "tools:1");
    const own = aCheckpoint();
    await holder.saver.put(config, own, metadata(0));
    await expect(stale.saver.put(config, aCheckpoint(), metadata(0))).rejects.toMatchObject({ code: "lease_lost" });
    expect(idOf(await holder.saver.getTuple(config))).toBe(own.id);
  });
});

describe("limits and faults", () => {
  it("refuses a checkpoint that comes near the store's limit and keeps the head", async () => {
    const threadId = newId();
    const { run, saver } = await claimRun(threadId);
    const [head] = await putChain(saver, threadId, 1);
    const large = aCheckpoint({ text: "x".repeat(CHECKPOINT_MAX_BYTES) });
    await expect(saver.put(at(threadId, head), large, metadata(1))).rejects.toMatchObject({
      code: "document_too_large",
    });
    const write = saver.putWrites(at(threadId, head), [["c", "x".repeat(CHECKPOINT_MAX_BYTES)]], "task");
    await expect(write).rejects.toMatchObject({ code: "document_too_large" });
    expect(await headOf(run._id)).toBe(head);
  });

  it("names the field when the thread id is missing", async () => {
    const { saver } = await claimRun(newId());
    await expect(saver.getTuple({ configurable: {} })).rejects.toThrow("configurable.thread_id");
  });
});

describe("states", () => {
  it("are plain values with flat messages", async () => {
    const threadId = newId();
    const { saver } = await claimRun(threadId);
    const call = { id: "call_1", name: "task", args: { prompt: "look" }, type: "tool_call" as const };
    const messages = [new HumanMessage("hi"), new AIMessage({ content: "", tool_calls: [call] })];
    const checkpoint = aCheckpoint({ messages, title: "a", "branch:to:model": null, __start__: {} });
    await saver.put(at(threadId), checkpoint, metadata(3));
    const state = await store.states.readState(threadId, checkpoint.id);
    expect(state).toMatchObject({
      checkpoint_id: checkpoint.id,
      parent_checkpoint_id: null,
      created_at: checkpoint.ts,
    });
    expect(Object.keys(state?.values ?? {})).toEqual(["messages", "title"]);
    expect(JSON.parse(JSON.stringify(state?.values["messages"]))).toMatchObject([
      { type: "human", content: "hi" },
      { type: "ai", content: "", tool_calls: [call] },
    ]);
    expect(await store.states.readState(threadId, "unknown")).toBeUndefined();
    expect(await store.states.history(threadId, checkpoint.id, 5)).toEqual([state]);
  });
});

describe("retention", () => {
  it("removes a run without a head whole, and all of a thread", async () => {
    const threadId = newId();
    const { run, saver } = await claimRun(threadId);
    const [id] = await putChain(saver, threadId, 3);
    await saver.putWrites(at(threadId, id), [["c", 1]], "task");
    await store.checkpoints.keepOnlyHead(run._id, null);
    const left = async () => harness.collections.checkpointWrites.countDocuments({ thread_id: threadId });
    expect(await drain(saver.list(at(threadId)))).toEqual([]);
    expect(await left()).toBe(0);
    await putChain(saver, threadId, 1);
    await store.checkpoints.deleteThread(threadId);
    expect(await saver.getTuple(at(threadId))).toBeUndefined();
  });
});
