import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { durablesOf } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow, TaskRow } from "@antler/store";

import { type BareLedgers, openBareLedgers } from "../../../test/harness/bare-ledgers.ts";
import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aRunDraft, aTaskDraft } from "../../../test/harness/rows.ts";
import { createKinds, type DeliveryDeps, startReconciler } from "../src/index.ts";
import { endOverdue, payOwed, republishStranded } from "../src/reconcile.ts";

const MINUTE_MS = 60_000;
const ago = (ms: number) => new Date(Date.now() - ms);

let stack: DeliveryStack;
let bare: BareLedgers;
let replicas: DeliveryDeps[];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack();
  replicas = await Promise.all([stack.connect(), stack.connect(), stack.connect()]);
  bare = await openBareLedgers(stack.database);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await bare[Symbol.asyncDispose]();
  await stack.stop();
});

const first = () => replicas[0]!;
const claim = { id: "claim", runner_id: "gone", pid: 1 };
const later = new Date(Date.now() + 10 * MINUTE_MS);
const held = {
  status: "running",
  epoch: 1,
  attempt: 1,
  claim,
  started_at: ago(MINUTE_MS),
  lease_until: later,
  execution_deadline_at: later,
} as const;
const lostLease = { ...held, lease_until: ago(MINUTE_MS) } as const;
const cancel = { action: "interrupt", at: ago(MINUTE_MS) } as const;
const ended = { stop_reason: "completed", owed_at: ago(MINUTE_MS), ended_at: ago(MINUTE_MS) } as const;
const lostTicket = { dispatch: 1, stream_created: "2020-01-01T00:00:00Z", seq: 7, at: ago(MINUTE_MS) };

/** A row as a process left it that is no more. */
async function aStrandedTask(fields: Partial<TaskRow>): Promise<TaskRow> {
  const { _id } = await first().store.tasks.insert(aTaskDraft());
  await bare.tasks.updateOne({ _id }, { $set: { updated_at: ago(MINUTE_MS), ...fields } });
  return (await first().store.tasks.get(_id))!;
}

async function aStrandedRun(fields: Partial<RunRow>): Promise<RunRow> {
  const draft = aRunDraft();
  await first().store.runs.insert(draft);
  await bare.runs.updateOne({ _id: draft._id }, { $set: { updated_at: ago(MINUTE_MS), ...fields } });
  return (await first().store.runs.get(draft._id))!;
}

/** All repairs at once in every replica, without the lease that lets one of them work at a time. */
async function repairEverywhere(): Promise<void> {
  const durables = durablesOf(stack.config.pools, 2000);
  const signal = AbortSignal.timeout(20_000);
  await Promise.all(
    replicas.map(async (deps) => {
      const { runs, tasks } = createKinds(deps);
      const ofTasks = { ...deps, signal, kind: tasks, durables: durables.filter(({ stream }) => stream === "TASKS") };
      const ofRuns = { ...deps, signal, kind: runs, durables: durables.filter(({ stream }) => stream === "RUNS") };
      await Promise.all([endOverdue(ofTasks), endOverdue(ofRuns), payOwed(ofTasks), payOwed(ofRuns)]);
      await Promise.all([republishStranded(ofTasks), republishStranded(ofRuns)]);
    }),
  );
}

async function eventsOf(runId: string, type: string): Promise<number> {
  const log = await first().store.events.read(runId, { afterSeq: 0, limit: 100 });
  return log.filter((event) => event.type === type).length;
}

const UNPUBLISHED = {
  "has no ticket": {},
  "lost its worker": lostLease,
  "was handed back, and whose time has come": { not_before: ago(1000) },
  "has a ticket that went with its stream": { ticket: lostTicket },
} as const;

const OVERDUE = {
  "lost its last worker": [{ ...lostLease, attempt: 3 }, "failed", "lost_worker"],
  "was executed for too long": [{ ...held, execution_deadline_at: ago(10_000) }, "timed_out", "execution_timeout"],
  "waited for too long": [{ due_at: ago(10 * MINUTE_MS) }, "timed_out", "queue_timeout"],
  "is past its deadline": [{ ...held, deadline_at: ago(10_000) }, "timed_out", "deadline"],
  "was cancelled before anybody began": [{ cancel }, "cancelled", "cancelled"],
  "was cancelled, and whose worker does not stop": [{ ...held, cancel }, "cancelled", "cancelled"],
} as const;

type Repair = { readonly dispatch: number } | { readonly status: string };

describe("three replicas that repair at the same moment", () => {
  it.each(Object.entries(UNPUBLISHED))("publish the ticket of a task that %s once", async (_what, fields) => {
    const task = await aStrandedTask(fields);
    await repairEverywhere();
    await repairEverywhere();

    expect(await first().store.tasks.get(task._id)).toMatchObject({
      status: "pending",
      dispatch: task.dispatch + 1,
      ticket: { dispatch: task.dispatch + 1 },
      attempt: task.attempt,
      epoch: task.epoch,
    });
  });

  it.each(Object.entries(UNPUBLISHED))("publish the ticket of a run that %s once", async (_what, fields) => {
    const run = await aStrandedRun(fields);
    await repairEverywhere();
    await repairEverywhere();

    const dispatch = run.dispatch + 1;
    expect(await first().store.runs.get(run._id)).toMatchObject({ status: "pending", dispatch, ticket: { dispatch } });
  });

  it.each(Object.entries(OVERDUE))("end a task that %s once", async (_what, [fields, status, stop_reason]) => {
    const task = await aStrandedTask(fields);
    await repairEverywhere();
    await repairEverywhere();

    const epoch = task.epoch + 1;
    expect(await first().store.tasks.get(task._id)).toMatchObject({ status, stop_reason, epoch, owed: [] });
    expect(await eventsOf(task.run_id, "subagent.end")).toBe(1);
  });

  it("end the log of a run that ended, after the tasks that it left, once", async () => {
    const run = await aStrandedRun({ ...ended, status: "error", owed: ["sweep", "end_event", "signal"] });
    const task = await aStrandedTask({ run_id: run._id, thread_id: run.thread_id });
    await repairEverywhere();
    await repairEverywhere();

    expect(await first().store.runs.get(run._id)).toMatchObject({ status: "error", owed: [] });
    expect(await first().store.tasks.get(task._id)).toMatchObject({ status: "cancelled", stop_reason: "parent_ended" });
    const log = await first().store.events.read(run._id, { afterSeq: 0, limit: 10 });
    expect(log.map(({ type }) => type)).toEqual(["subagent.end", "run.end"]);
  });

  it("tell the end of a task that nobody heard of, once in its log", async () => {
    const task = await aStrandedTask({ ...ended, status: "completed", result: "done", owed: ["end_event", "signal"] });
    await repairEverywhere();
    await repairEverywhere();

    expect(await first().store.tasks.get(task._id)).toMatchObject({ status: "completed", owed: [], owed_at: null });
    expect(await eventsOf(task.run_id, "subagent.end")).toBe(1);
  });

  it("leave a task that merely waits with its ticket", async () => {
    const task = await aStrandedTask({});
    await repairEverywhere();
    const published = (await first().store.tasks.get(task._id))!;
    const at = ago(MINUTE_MS);
    await bare.tasks.updateOne({ _id: task._id }, { $set: { "ticket.at": at } as object });
    await repairEverywhere();

    expect(await first().store.tasks.get(task._id)).toEqual({ ...published, ticket: { ...published.ticket, at } });
  });
});

describe("a task that goes on between the look and the write", () => {
  it.each([
    ["is claimed, that had no ticket", {}, "claimed"],
    ["is claimed, that had lost its worker", lostLease, "claimed"],
    ["is claimed, whose ticket was gone", { ticket: lostTicket }, "claimed"],
    ["has its result, that was executed for too long", { ...held, execution_deadline_at: ago(10_000) }, "settled"],
  ] as const)("and %s, is left alone", async (_what, fields, meanwhile) => {
    const task = await aStrandedTask(fields);
    const { tasks } = createKinds(first());
    const next = { id: newId(), runner_id: "other", pid: 2 };
    const goOn = () =>
      meanwhile === "claimed"
        ? first().store.tasks.claim(task._id, next, MINUTE_MS)
        : first().store.tasks.settle(
            { id: task._id, epoch: 1, claimId: claim.id },
            { status: "completed", fields: {}, owed: [] },
          );
    let after: TaskRow | undefined;
    const find: typeof tasks.ledger.find = async (condition, limit) => {
      const rows = await tasks.ledger.find({ $and: [condition, { _id: task._id }] }, limit);
      if (rows.length > 0) after = await goOn();
      return rows;
    };
    const kind = { ...tasks, ledger: { ...tasks.ledger, find } };
    const durables = durablesOf(stack.config.pools, 2000).filter(({ stream }) => stream === "TASKS");
    const options = { ...first(), kind, durables, signal: AbortSignal.timeout(20_000) };
    await endOverdue(options);
    await republishStranded(options);

    expect(after).toBeDefined();
    expect(await first().store.tasks.get(task._id)).toEqual(after);
  });
});

describe("three reconcilers", () => {
  it("repair every orphan once, however many passes follow, and another one goes on when one stops", async () => {
    const unpublished = await Promise.all(Object.values(UNPUBLISHED).map(aStrandedTask));
    const overdue = await Promise.all(Object.values(OVERDUE).map(([fields]) => aStrandedTask(fields)));
    const reconcilers = replicas.map((deps) => startReconciler({ ...deps, ...createKinds(deps), holder: newId() }));
    closing.push(() => Promise.all(reconcilers.map((reconciler) => reconciler.stop())));
    await repaired(unpublished, overdue);
    for (const reconciler of reconcilers) {
      await repaired([await aStrandedTask({})], []);
      await reconciler.stop();
    }

    const now = await Promise.all([...unpublished, ...overdue].map(({ _id }) => first().store.tasks.get(_id)));
    const expected: Repair[] = [
      ...unpublished.map(({ dispatch }) => ({ dispatch: dispatch + 1 })),
      ...Object.values(OVERDUE).map(([, status], index) => ({ status, epoch: (overdue[index]?.epoch ?? 0) + 1 })),
    ];
    expect(now).toMatchObject(expected);
    expect(await Promise.all(overdue.map(({ run_id }) => eventsOf(run_id, "subagent.end")))).toEqual(
      overdue.map(() => 1),
    );
  });

  async function repaired(unpublished: readonly TaskRow[], overdue: readonly TaskRow[]): Promise<void> {
    const now = (row: TaskRow) => first().store.tasks.get(row._id);
    for (const row of unpublished) await expect.poll(() => now(row)).toMatchObject({ ticket: { dispatch: 2 } });
    for (const row of overdue)
      await expect.poll(() => now(row)).toMatchObject({ ended_at: expect.any(Date) as Date, owed: [] });
  }
});
