import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createLogger, newId } from "@antler/platform";

import { aRunDraft, aTaskDraft } from "../../../test/harness/rows.ts";
import type { CheckpointRetention } from "../src/checkpoint-retention.ts";
import { createCheckpointRetention } from "../src/checkpoint-retention.ts";
import { type Collections, collectionsOf } from "../src/collections.ts";
import { createDeadLetterLedger } from "../src/dead-letter-ledger.ts";
import { createEventLog } from "../src/event-log.ts";
import type {
  DeadLetterLedger,
  EventLog,
  RunLedger,
  Settlement,
  StateReader,
  StoreLeases,
  TaskLedger,
  TaskRow,
  ThreadLedger,
  UsageLedger,
  WorkLedger,
  WorkRow,
} from "../src/index.ts";
import * as predicates from "../src/index.ts";
import { createRunLedger } from "../src/run-ledger.ts";
import { createStateReader } from "../src/state-reader.ts";
import { createStoreLeases } from "../src/store-leases.ts";
import { createTaskLedger } from "../src/task-ledger.ts";
import { createThreadLedger } from "../src/thread-ledger.ts";
import { createUsageLedger } from "../src/usage-ledger.ts";
import { type CommandPlan, type CommandRecorder, plansOf, recordCommands } from "./captured-commands.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

/** A call of every method: a ledger that gets a new one does not compile here until the method is called too. */
type EveryMethod<Ledger> = { [Name in keyof Ledger]: (ledger: Ledger) => Promise<unknown> };

const fence = { id: "x", epoch: 1, claimId: "c" };
const conditions = [
  predicates.attemptsSpent,
  predicates.cancelledWaiting,
  predicates.cancelOverdue(1),
  predicates.deadlinePassed,
  predicates.executionExpired,
  predicates.leaseExpired,
  predicates.owing(1),
  predicates.queueExpired,
  predicates.ticketed("general", "batch", 1),
  predicates.unticketed(1),
];

const ofWork = <Row extends WorkRow>(ending: Settlement, which: object): EveryMethod<WorkLedger<Row>> => ({
  get: (work) => work.get("x"),
  getAt: (work) => work.getAt("x"),
  claim: (work) => work.claim("x", { id: "c", runner_id: "r", pid: 1 }, 1),
  renew: (work) => work.renew(fence, 1),
  release: (work) => work.release(fence, { delayMs: 1, charged: true }),
  settle: (work) => work.settle(fence, ending),
  force: (work) => work.force("x", predicates.deadlinePassed, ending),
  redispatch: (work) => work.redispatch("x", predicates.leaseExpired),
  recordTicket: (work) => work.recordTicket("x", 1, { stream_created: "then", seq: 1 }),
  markCancelled: (work) => work.markCancelled(which, "interrupt", []),
  discharge: (work) => work.discharge("x", "signal"),
  find: (work) =>
    Promise.all([...conditions, { ...which, owed: "end_event" }].map((condition) => work.find(condition, 200))),
  count: (work) => work.count(predicates.inFlight("tenant"), 10),
  countPending: (work) => work.countPending("general", "batch", 10),
});

const runs: EveryMethod<RunLedger> = {
  ...ofWork({ status: "error", fields: {}, owed: [] }, { _id: "x" }),
  insert: (ledger) => ledger.insert(aRunDraft({ idempotency: "key" })),
  admit: (ledger) => ledger.admit(fence, "call", 6),
  chooseBase: async (ledger) =>
    ledger.chooseBase({ ...fence, id: (await ledger.insert(aRunDraft())).kind }).catch(() => null),
  byIdempotency: (ledger) => ledger.byIdempotency("key"),
  listByThread: (ledger) => ledger.listByThread("x", { limit: 10, offset: 0 }),
  runBefore: (ledger) => ledger.runBefore("x", 2),
  newestHead: (ledger) => ledger.newestHead("x"),
  newestStanding: (ledger) => ledger.newestStanding("x"),
  holderOf: (ledger) => ledger.holderOf("x"),
};

const tasks: EveryMethod<TaskLedger> = {
  ...ofWork({ status: "failed", fields: { result: "x".repeat(300_000) }, owed: [] }, { run_id: "x" }),
  insert: (ledger) => ledger.insert(aTaskDraft()),
  byCall: (ledger) => ledger.byCall("x", "call"),
  listByCalls: (ledger) => ledger.listByCalls("x", ["a", "b"]),
  listByRun: (ledger) => ledger.listByRun("x"),
  countLive: (ledger) => ledger.countLive("x"),
  wholeResult: (ledger) =>
    ledger.wholeResult({ _id: "x", epoch: 1, result: "", result_bytes: 0 } as TaskRow).catch(() => null),
};

const event = { key: "a", type: "run.start", data: {} } as const;
const events: EveryMethod<EventLog> = {
  append: (log) => log.append("x", "t", [event]).then(() => log.append("x", "t", [event])),
  read: (log) =>
    Promise.all(
      [{}, { taskId: "t" }, { types: ["run.end"] as const }].map((which) =>
        log.read("x", { ...which, afterSeq: 5, limit: 100 }),
      ),
    ),
  lastSeq: (log) => log.lastSeq("x"),
  deleteRun: (log) => log.deleteRun("x"),
};

const usage: EveryMethod<UsageLedger> = {
  record: (ledger) => ledger.record([]),
  totals: (ledger) => Promise.all([ledger.totals({ runId: "x" }), ledger.totals({ runId: "x", taskId: "t" })]),
  byCaller: (ledger) => ledger.byCaller("x"),
  list: (ledger) => ledger.list("x"),
  deleteRun: (ledger) => ledger.deleteRun("x"),
};

const threads: EveryMethod<ThreadLedger> = {
  create: (ledger) => ledger.create({ _id: newId(), tenant_id: "a", metadata: {} }, { ifExists: "raise" }),
  get: (ledger) => ledger.get("a", "x"),
  ensure: (ledger) => ledger.ensure({ _id: newId(), tenant_id: "a", metadata: {} }),
  list: (ledger) => ledger.list("a", { limit: 10, offset: 0 }),
  mergeMetadata: (ledger) => ledger.mergeMetadata("a", "x", { key: 1 }),
  delete: (ledger) => ledger.delete("a", "x"),
};

const place = { _id: "x", created_at: new Date() };
const deadLetters: EveryMethod<DeadLetterLedger> = {
  record: (ledger) =>
    ledger.record({
      _id: newId(),
      tenant_id: "a",
      stream: "RUNS",
      subject: "s",
      reason: "r",
      payload: "",
      headers: {},
      row_id: null,
    }),
  list: (ledger) =>
    Promise.all(
      [{}, { owners: ["a"] }, { owners: ["a", null] }, { after: place }, { owners: ["a", null], after: place }].map(
        (which) => ledger.list({ limit: 10, ...which }),
      ),
    ),
  get: (ledger) => ledger.get("x"),
  markRetried: (ledger) => ledger.markRetried("x", "run"),
  discard: (ledger) => ledger.discard("x"),
  countOpen: (ledger) => ledger.countOpen("RUNS"),
};

const leases: EveryMethod<StoreLeases> = {
  acquire: (ledger) => ledger.acquire("a", "b", 1),
  renew: (ledger) => ledger.renew("a", "b", 1),
  release: (ledger) => ledger.release("a", "b"),
  exclusive: (ledger) => ledger.exclusive("other", () => Promise.resolve()),
};

const states: EveryMethod<StateReader> = {
  readState: (reader) => reader.readState("x", "c"),
  history: (reader) => reader.history("x", "c", 10),
};

const checkpoints: EveryMethod<CheckpointRetention> = {
  keepOnlyHead: (retention) => Promise.all([retention.keepOnlyHead("x", "head"), retention.keepOnlyHead("x", null)]),
  deleteThread: (retention) => retention.deleteThread("x"),
};

const callEvery = async <Ledger>(ledger: Ledger, methods: EveryMethod<Ledger>): Promise<void> => {
  for (const call of Object.values<(ledger: Ledger) => Promise<unknown>>(methods)) await call(ledger);
};

let harness: StoreHarness;
let recorder: CommandRecorder;
let plans: CommandPlan[];

async function drive(given: Collections): Promise<void> {
  const logger = createLogger({ service: "test", level: "fatal" });
  await callEvery(createRunLedger(given.runs), runs);
  await callEvery(createTaskLedger(given.tasks, given.results), tasks);
  await callEvery(createEventLog(given.events, logger), events);
  await callEvery(createUsageLedger(given.usage), usage);
  await callEvery(createThreadLedger(given.threads), threads);
  await callEvery(createDeadLetterLedger(given.deadLetters), deadLetters);
  await callEvery(createStoreLeases(given.leases), leases);
  await callEvery(createStateReader(given), states);
  await callEvery(createCheckpointRetention(given), checkpoints);
}

beforeAll(async () => {
  harness = await startStore();
  recorder = await recordCommands(harness.server.url);
  const db = recorder.client.db(harness.database);
  await drive(collectionsOf(db));
  plans = (await Promise.all([...recorder.commands].map((command) => plansOf(db, command)))).flat();
}, 60_000);
afterAll(async () => {
  await recorder.client.close();
  await harness.stop();
});

describe("every query of the ledgers [FC-E06]", () => {
  it("was recorded on every collection", () => {
    const all: Readonly<Record<keyof Collections, { readonly collectionName: string }>> = harness.collections;
    const names = Object.values(all).map(({ collectionName }) => collectionName);
    expect(new Set(plans.map(({ collection }) => collection))).toEqual(new Set(names));
  });

  it("finds its documents by an index", () => {
    expect(plans.filter(({ stages }) => stages.includes("COLLSCAN"))).toEqual([]);
  });

  it("reads in the order of an index, or keeps no more than it answers while it sorts", () => {
    expect(plans.filter(({ stages, limit }) => stages.includes("SORT") && limit === undefined)).toEqual([]);
  });
});
