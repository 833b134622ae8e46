import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startEmbeddedMongo } from "@antler/embedded-mongo";
import { createLogger, newId } from "@antler/platform";

import { aRunDraft, aTaskDraft } from "../../../test/harness/rows.ts";
import {
  attemptsSpent,
  cancelledWaiting,
  connectStore,
  executionExpired,
  leaseExpired,
  owing,
  queueExpired,
  type Store,
  type TaskDraft,
  type TaskRow,
  unticketed,
} from "../src/index.ts";

let store: Store;
let stop: () => Promise<void>;

beforeAll(async () => {
  const own = process.env["MONGODB_URL"] === undefined ? await startEmbeddedMongo() : undefined;
  const logger = createLogger({ service: "test", level: "error" });
  const url = own?.url ?? process.env["MONGODB_URL"] ?? "";
  store = await connectStore({ url, database: `test_${newId()}`, logger });
  await store.migrate();
  stop = async () => {
    await store.close();
    await own?.close();
  };
});
afterAll(() => stop());

const aClaim = () => ({ id: newId(), runner_id: "runner-1", pid: 1 });
const insertTask = (given: Partial<TaskDraft> = {}) => store.tasks.insert(aTaskDraft(given));
const passing = (condition: object, id: string) => store.tasks.find({ _id: id, ...condition }, 1);

async function claimed(given: Partial<TaskDraft> = {}, leaseMs = 10_000) {
  const task = await insertTask(given);
  const claim = aClaim();
  const row = await store.tasks.claim(task._id, claim, leaseMs);
  if (row === undefined) throw new Error("The claim was refused");
  return { row, fence: { id: row._id, epoch: row.epoch, claimId: claim.id } };
}

const completed = {
  status: "completed",
  fields: { stop_reason: "completed", result: "$done", error: null },
  owed: ["end_event", "signal"],
} as const;

/** Waits for the store's clock, not for this process: the predicate itself says when the time is over. */
const eventually = (condition: object, id: string) =>
  expect.poll(() => passing(condition, id).then((rows) => rows.length), { timeout: 5000, interval: 20 }).toBe(1);

describe("a claim", () => {
  it("takes a due row once, raising epoch and attempt and starting the lease", async () => {
    const { row } = await claimed();

    expect(row).toMatchObject({ status: "running", epoch: 1, attempt: 1, claim: { runner_id: "runner-1", pid: 1 } });
    expect(row.lease_until?.getTime()).toBeGreaterThan(row.updated_at.getTime());
    expect(await store.tasks.claim(row._id, aClaim(), 10_000)).toBeUndefined();
  });

  it("is won by exactly one of many claimants", async () => {
    const task = await insertTask();
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.tasks.claim(task._id, aClaim(), 10_000)));

    expect(claims.filter((row) => row !== undefined)).toHaveLength(1);
  });

  it("takes over a row whose lease is over, and the old holder can write nothing more", async () => {
    const { row, fence } = await claimed({}, 1);
    await eventually(leaseExpired, row._id);
    const second = await store.tasks.claim(row._id, aClaim(), 10_000);

    expect(second).toMatchObject({ epoch: 2, attempt: 2 });
    expect(await store.tasks.renew(fence, 10_000)).toBeUndefined();
    expect(await store.tasks.settle(fence, completed)).toBeUndefined();
    expect(await store.tasks.release(fence, { delayMs: 0, charged: true })).toBeUndefined();
    expect(await store.tasks.get(row._id)).toMatchObject({ status: "running", epoch: 2, result: null });
  });

  it.each([
    ["a cancelled row", { cancel: { action: "interrupt", at: new Date() } }],
    ["a row without an attempt left", { attempt: 3 }],
    ["a row that is not due yet", { not_before: new Date(Date.now() + 60_000) }],
    ["a row that waited longer than its queue limit", { queue_limit_ms: -1 }],
    ["a row past its deadline", { deadline_ms: -1 }],
    ["a held row", { status: "held" }],
  ] as const)("refuses %s", async (_name, given) => {
    const task = await insertTask(given);

    expect(await store.tasks.claim(task._id, aClaim(), 10_000)).toBeUndefined();
    expect(await store.tasks.get(task._id)).toMatchObject({ epoch: 0 });
  });
});

describe("a settlement", () => {
  it("is stored once with its payload and what it owes; text is never read as an expression", async () => {
    const { row, fence } = await claimed();
    const settled = await store.tasks.settle(fence, completed);

    expect(settled).toMatchObject({ status: "completed", result: "$done", owed: ["end_event", "signal"] });
    expect(settled?.ended_at).toBeInstanceOf(Date);
    expect(await store.tasks.settle(fence, { ...completed, status: "failed" })).toBeUndefined();
    expect(await store.tasks.claim(row._id, aClaim(), 10_000)).toBeUndefined();
  });

  it("by force raises the epoch, so that the holder is fenced off", async () => {
    const { row, fence } = await claimed({ execution_limit_ms: -3000 });
    const forced = await store.tasks.force(row._id, executionExpired, { ...completed, status: "timed_out" });

    expect(forced).toMatchObject({ status: "timed_out", epoch: 2 });
    expect(await store.tasks.settle(fence, completed)).toBeUndefined();
  });

  it("by force changes nothing when its condition no longer holds", async () => {
    const { row } = await claimed();

    expect(await store.tasks.force(row._id, executionExpired, completed)).toBeUndefined();
    expect(await store.tasks.get(row._id)).toMatchObject({ status: "running", epoch: 1 });
  });

  it("leaves duties that are taken off one by one", async () => {
    const { row, fence } = await claimed();
    await store.tasks.settle(fence, completed);
    await store.tasks.discharge(row._id, "end_event");
    expect(await store.tasks.get(row._id)).toMatchObject({ owed: ["signal"] });
    expect(await passing(owing(0), row._id)).toHaveLength(1);

    await store.tasks.discharge(row._id, "signal");
    expect(await store.tasks.get(row._id)).toMatchObject({ owed: [], owed_at: null });
    expect(await passing(owing(0), row._id)).toHaveLength(0);
  });
});

describe("a release", () => {
  it("gives the attempt back unless it is charged, and the row is due after the delay", async () => {
    const { row, fence } = await claimed();
    const released = await store.tasks.release(fence, { delayMs: 50, charged: false });

    expect(released).toMatchObject({ status: "pending", attempt: 0, epoch: 1, ticket: null, lease_until: null });
    await eventually(unticketed(60_000), row._id);
    expect(await store.tasks.claim(row._id, aClaim(), 10_000)).toMatchObject({ epoch: 2, attempt: 1 });
  });

  it("keeps the attempt when it is charged", async () => {
    const { fence } = await claimed();

    expect(await store.tasks.release(fence, { delayMs: 0, charged: true })).toMatchObject({ attempt: 1 });
  });
});

describe("a new publication", () => {
  it("raises the dispatch and keeps the place in time; only its own ticket is recorded", async () => {
    const task = await insertTask();
    await store.tasks.recordTicket(task._id, 1, { stream_created: "then", seq: 7 });
    const again = await store.tasks.redispatch(task._id, { dispatch: 1, status: "pending" });

    expect(again).toMatchObject({ dispatch: 2, ticket: null, status: "pending", due_at: task.due_at });
    await store.tasks.recordTicket(task._id, 1, { stream_created: "then", seq: 8 });
    expect(await store.tasks.get(task._id)).toMatchObject({ ticket: null });
    await store.tasks.recordTicket(task._id, 2, { stream_created: "then", seq: 9 });
    expect(await store.tasks.get(task._id)).toMatchObject({ ticket: { dispatch: 2, seq: 9 } });
  });

  it("makes an abandoned row wait anew, with the attempt kept", async () => {
    const { row } = await claimed({}, 1);
    await eventually(leaseExpired, row._id);
    const waiting = await store.tasks.redispatch(row._id, leaseExpired);

    expect(waiting).toMatchObject({ status: "pending", attempt: 1, dispatch: 2, lease_until: null });
    expect(waiting?.due_at.getTime()).toBeGreaterThan(row.due_at.getTime());
    expect(await store.tasks.redispatch(row._id, leaseExpired)).toBeUndefined();
  });

  it("is due for rows without a ticket, never for rows that are merely queued", async () => {
    const lost = await insertTask();
    const queued = await insertTask();
    await store.tasks.recordTicket(queued._id, 1, { stream_created: "then", seq: 1 });

    expect(await passing(unticketed(0), lost._id)).toHaveLength(1);
    expect(await passing(unticketed(60_000), lost._id)).toHaveLength(0);
    expect(await passing(unticketed(0), queued._id)).toHaveLength(0);
  });
});

describe("conditions of an end", () => {
  it("see a row whose attempts are spent, waiting or abandoned", async () => {
    const waiting = await insertTask({ attempt: 3 });
    const { row } = await claimed({ attempt: 2 }, 1);

    expect(await passing(attemptsSpent, waiting._id)).toHaveLength(1);
    await eventually(attemptsSpent, row._id);
  });

  it("see a row that waited too long, but not one that runs", async () => {
    const waiting = await insertTask({ queue_limit_ms: -1 });
    const { row } = await claimed();

    expect(await passing(queueExpired, waiting._id)).toHaveLength(1);
    expect(await passing(queueExpired, row._id)).toHaveLength(0);
  });
});

describe("a cancel mark", () => {
  it("is set once on what is not terminal, is read by a renewal, and owes what it was told", async () => {
    const { row, fence } = await claimed();
    expect(await store.tasks.markCancelled({ _id: row._id }, "interrupt", ["cancel_tasks"])).toBe(1);
    expect(await store.tasks.markCancelled({ _id: row._id }, "rollback", [])).toBe(0);

    expect(await store.tasks.renew(fence, 10_000)).toMatchObject({ cancel: { action: "interrupt" } });
    expect(await passing(owing(0), row._id)).toHaveLength(1);
    expect(await passing(cancelledWaiting, row._id)).toHaveLength(0);
  });

  it("passes by what is terminal", async () => {
    const { row, fence } = await claimed();
    await store.tasks.settle(fence, completed);

    expect(await store.tasks.markCancelled({ _id: row._id }, "interrupt", [])).toBe(0);
  });
});

describe("tasks", () => {
  it("stand once for each call of a run", async () => {
    const draft = aTaskDraft();
    const first = await store.tasks.insert(draft);
    const again = await store.tasks.insert({ ...aTaskDraft(), run_id: draft.run_id, call_id: draft.call_id });

    expect(again._id).toBe(first._id);
    expect(await store.tasks.listByRun(draft.run_id)).toHaveLength(1);
  });

  it("keep keys and texts that look like operators as they are", async () => {
    const draft = aTaskDraft({ description: "$set: {{a.b}}" });
    const stored: TaskRow = await store.tasks.insert(draft);

    expect(stored.description).toBe("$set: {{a.b}}");
  });
});

describe("runs", () => {
  it("hold their thread until they are terminal", async () => {
    const first = aRunDraft();
    await store.runs.insert(first);
    const second = aRunDraft({ thread_id: first.thread_id });
    expect(await store.runs.insert(second)).toEqual({ kind: "thread_busy" });

    await store.runs.force(first._id, {}, { status: "success", fields: {}, owed: [] });
    expect(await store.runs.insert(second)).toMatchObject({ kind: "inserted", run: { turn: 2 } });
    expect(await store.runs.holderOf(first.thread_id)).toMatchObject({ _id: second._id });
  });

  it("are created once under an idempotency key", async () => {
    const draft = aRunDraft({ idempotency: newId() });
    await store.runs.insert(draft);
    await store.runs.force(draft._id, {}, { status: "success", fields: {}, owed: [] });
    const again = aRunDraft({ idempotency: draft.idempotency ?? "" });

    expect(await store.runs.insert(again)).toMatchObject({ kind: "replayed", run: { _id: draft._id } });
  });

  it("admit each call once and no more than the total", async () => {
    const draft = aRunDraft();
    await store.runs.insert(draft);
    const claim = aClaim();
    await store.runs.claim(draft._id, claim, 10_000);
    const fence = { id: draft._id, epoch: 1, claimId: claim.id };

    expect(await Promise.all(["a", "b", "a"].map((call) => store.runs.admit(fence, call, 2)))).toEqual([
      "admitted",
      "admitted",
      "admitted",
    ]);
    expect(await store.runs.admit(fence, "c", 2)).toBe("total_reached");
    expect(await store.runs.admit({ ...fence, epoch: 2 }, "c", 3)).toBe("not_held");
    expect((await store.runs.get(draft._id))?.calls).toHaveLength(2);
  });

  it("begin from the head of the turn before", async () => {
    const first = aRunDraft({ head: "checkpoint-1" });
    await store.runs.insert(first);
    await store.runs.force(first._id, {}, { status: "success", fields: {}, owed: [] });
    const second = aRunDraft({ thread_id: first.thread_id });
    await store.runs.insert(second);
    const claim = aClaim();
    await store.runs.claim(second._id, claim, 10_000);

    expect(await store.runs.chooseBase({ id: second._id, epoch: 1, claimId: claim.id })).toBe("checkpoint-1");
    expect(await store.runs.get(second._id)).toMatchObject({ base: "checkpoint-1", head: null });
  });
});
