import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { AntlerError, isAntlerError } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { aRunRequest, type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aTaskDraft } from "../../../test/harness/rows.ts";
import {
  cancelRun,
  createDelegation,
  createEndedCalls,
  createKinds,
  type DeliveryDeps,
  type Lease,
  type RunOutcome,
  startReconciler,
  startRunWorker,
  submitRun,
  waitUntilTerminal,
  type Worker,
} from "../src/index.ts";
import { holdRun, requestOf } from "./held-run.ts";

let stack: DeliveryStack;
let deps: DeliveryDeps;
const workers: Worker[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack();
  deps = await stack.connect();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.drain(AbortSignal.abort())));
});
afterAll(() => stack.stop());

const success: RunOutcome = { status: "success", stop_reason: "completed", error: null, output: { text: "done" } };
const asked: RunOutcome = { status: "interrupted", stop_reason: "input_required", error: null, output: {} };
const failed: RunOutcome = {
  ...{ status: "error", stop_reason: "agent_error", output: null },
  error: { code: "internal", message: "It broke" },
};

async function startRunner(execute: (run: RunRow, lease: Lease) => Promise<RunOutcome>): Promise<void> {
  const runner = { id: `runner-${newId()}`, pid: process.pid };
  workers.push(startRunWorker({ ...(await stack.connect()), runner, execute }));
}

function ended(id: string): Promise<RunRow> {
  const wait = { bus: deps.bus, signal: AbortSignal.timeout(20_000), pollMs: 100 };
  return waitUntilTerminal(createKinds(deps).runs, id, wait);
}

function cancel(run: RunRow, action: "interrupt" | "rollback" = "interrupt"): Promise<RunRow> {
  const address = { tenantId: run.tenant_id, threadId: run.thread_id, runId: run._id };
  return cancelRun(createKinds(deps).runs, { ...address, action });
}

/** The mark alone, as it stands before the word has spread. */
const mark = (run: RunRow, action: "interrupt" | "rollback" = "interrupt") =>
  deps.store.runs.markCancelled({ _id: run._id }, action, []);

describe("a run that was marked as cancelled before its outcome is stored", () => {
  it.each([
    ["that it answered", success],
    ["that it asks", asked],
    ["that it failed", failed],
  ])("ends as cancelled, although its lead says %s", async (_words, outcome) => {
    await startRunner(async (run) => {
      await mark(run);
      return outcome;
    });
    const run = await submitRun(deps, aRunRequest());

    expect(await ended(run._id)).toMatchObject({ status: "interrupted", stop_reason: "cancelled", output: null });
  });

  it.each(["model_failed", "deadline_exceeded"] as const)("ends as cancelled when its lead fails: %s", async (code) => {
    await startRunner(async (run) => {
      await mark(run);
      throw new AntlerError(code, "It broke");
    });
    const run = await submitRun(deps, aRunRequest());

    expect(await ended(run._id)).toMatchObject({ status: "interrupted", stop_reason: "cancelled" });
  });

  it("leaves nothing of itself when it was to be rolled back", async () => {
    await startRunner(async (run, { epoch, claimId }) => {
      await deps.store.runs.markCancelled({ _id: run._id }, "rollback", []);
      expect(claimId).toBe((await deps.store.runs.get(run._id))?.claim?.id);
      expect(epoch).toBe(1);
      return success;
    });
    const run = await submitRun(deps, aRunRequest());

    expect(await ended(run._id)).toMatchObject({
      ...{ status: "error", stop_reason: "rolled_back", head: null },
      error: { code: "cancelled", message: "Rolled back by user" },
    });
    expect(await deps.store.runs.newestStanding(run.thread_id)).toBeUndefined();
  });

  it("keeps the wish that came first", async () => {
    const started = Promise.withResolvers<undefined>();
    await startRunner(async (_run, { signal }) => {
      started.resolve(undefined);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw new Error("stopped");
    });
    const run = await submitRun(deps, aRunRequest());
    await started.promise;
    await mark(run, "rollback");
    await cancel(run, "interrupt");

    expect(await ended(run._id)).toMatchObject({ status: "error", stop_reason: "rolled_back" });
    expect(await cancel(run, "interrupt")).toMatchObject({ stop_reason: "rolled_back" });
  });

  it("does no work when the mark came right after its claim", async () => {
    const { runs } = createKinds(deps);
    const { _id } = await submitRun(deps, aRunRequest());
    const run = await deps.store.runs.claim(_id, { id: newId(), runner_id: "lead", pid: 1 }, 60_000);
    await mark(run!);

    await expect(runs.begin(run!)).rejects.toMatchObject({ code: "cancelled", details: { action: "interrupt" } });
    await deps.store.runs.force(_id, {}, { status: "success", fields: {}, owed: [] });
  });
});

describe("a cancel that comes at the moment of the last answer", () => {
  const answerTo = (run: RunRow): Promise<string> =>
    cancel(run).then(
      () => "cancelled",
      (error: unknown) => (isAntlerError(error, "run_not_cancellable") ? "completed" : String(error)),
    );

  async function reasonInLog(run: RunRow) {
    await expect.poll(async () => (await deps.store.runs.get(run._id))?.owed).toEqual([]);
    const log = await deps.store.events.read(run._id, { afterSeq: 0, limit: 10 });
    return log.filter(({ type }) => type === "run.end").map(({ data }) => data["stop_reason"]);
  }

  it("is told yes of exactly those runs that end as cancelled", async () => {
    const answers = new Map<string, Promise<string>>();
    await startRunner(async (run) => {
      const place = answers.size;
      const answer = new Promise((resolve) => setTimeout(resolve, place % 5)).then(() => answerTo(run));
      answers.set(run._id, answer);
      if (place === 0) await answer;
      return success;
    });
    const runs = await Promise.all(Array.from({ length: 60 }, () => submitRun(deps, aRunRequest())));
    const ends = await Promise.all(runs.map(({ _id }) => ended(_id)));
    const told = await Promise.all(runs.map(async (run) => answers.get(run._id) ?? answerTo(run)));

    expect(ends.map(({ stop_reason: reason }) => reason)).toEqual(told);
    expect(await Promise.all(runs.map(reasonInLog))).toEqual(told.map((reason) => [reason]));
    expect(told).toContain("cancelled");
  });
});

describe("a run that is cancelled while no lead has it", () => {
  it("ends after its tasks, and those as soon as their worker lets go", async () => {
    const { run, lease } = await holdRun(deps);
    const [waiting, working] = ["call_waiting", "call_working"] as const;
    for (const call of [waiting, working]) {
      await deps.store.runs.admit({ id: run._id, epoch: 1, claimId: lease.claimId }, call, 6);
      await deps.store.tasks.insert(aTaskDraft({ run_id: run._id, thread_id: run.thread_id, call_id: call }));
    }
    const task = await deps.store.tasks.byCall(run._id, working);
    const claim = { id: newId(), runner_id: "worker", pid: 1 };
    await deps.store.tasks.claim(task!._id, claim, 60_000);
    await deps.store.runs.release(
      { id: run._id, epoch: 1, claimId: lease.claimId },
      { delayMs: 60_000, charged: false },
    );
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });

    expect(await cancel(run)).toMatchObject({ status: "pending", cancel: { action: "interrupt" } });
    const statuses = async () => (await deps.store.tasks.listByRun(run._id)).map(({ status }) => status);
    await expect.poll(statuses).toEqual(expect.arrayContaining(["cancelled", "running"]));
    expect(await deps.store.runs.get(run._id)).toMatchObject({ status: "pending", lock: run.thread_id });
    const outcome = { status: "cancelled", fields: { stop_reason: "cancelled" }, owed: [] } as const;
    await deps.store.tasks.settle({ id: task!._id, epoch: 1, claimId: claim.id }, outcome);

    expect(await ended(run._id)).toMatchObject({ status: "interrupted", stop_reason: "cancelled" });
    await reconciler.stop();
  });
});

describe("a task call of a cancelled run", () => {
  it("is not admitted any more, and waits for its lead to be stopped", async () => {
    const held = await holdRun(deps);
    const stop = new AbortController();
    await mark(held.run);
    const outcome = createDelegation(deps).delegate(requestOf(held, { signal: stop.signal }));
    const reason = new AntlerError("cancelled", "The run was cancelled");
    setTimeout(() => stop.abort(reason), 50);

    await expect(outcome).rejects.toBe(reason);
    expect(await deps.store.runs.get(held.run._id)).toMatchObject({ calls: [] });
    expect(await deps.store.tasks.listByRun(held.run._id)).toEqual([]);
    await held.release();
  });

  it("whose task was inserted while the others were marked is ended with them", async () => {
    const held = await holdRun(deps);
    const { run, lease } = held;
    await deps.store.runs.admit({ id: run._id, epoch: 1, claimId: lease.claimId }, "call_late", 6);
    await cancel(run);
    await deps.store.tasks.insert(aTaskDraft({ run_id: run._id, thread_id: run.thread_id, call_id: "call_late" }));
    const calls = await createEndedCalls(deps, run.thread_id)(["call_late"], 10_000);

    expect(calls.get("call_late")).toMatchObject({ status: "cancelled", error: "Cancelled by user" });
    await held.release();
  });
});
