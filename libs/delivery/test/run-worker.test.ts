import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { AntlerError, type RunEvent } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { aRunRequest, type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aRunDraft } from "../../../test/harness/rows.ts";
import {
  cancelRun,
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

function startRunner(execute: (run: RunRow, lease: Lease) => Promise<RunOutcome>, on: DeliveryDeps = deps): Worker {
  const worker = startRunWorker({ ...on, runner: { id: `runner-${newId()}`, pid: process.pid }, execute });
  workers.push(worker);
  return worker;
}

function ended(id: string): Promise<RunRow> {
  const { runs } = createKinds(deps);

  return waitUntilTerminal(runs, id, { bus: deps.bus, signal: AbortSignal.timeout(20_000), pollMs: 200 });
}

const log = (run: RunRow): Promise<RunEvent[]> => deps.store.events.read(run._id, { afterSeq: 0, limit: 100 });

/** A promise with its resolve, and what it was resolved with. */
function gate<T = void>() {
  return Promise.withResolvers<T>();
}

const untilAborted = (lease: Lease) =>
  new Promise<never>((_resolve, reject) => {
    lease.signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });

describe("a run", () => {
  it("is executed once, settled once, and its log is sealed", async () => {
    const executed: string[] = [];
    startRunner(async (run) => {
      executed.push(run._id);
      return success;
    });
    const run = await submitRun(deps, aRunRequest());
    const end = await ended(run._id);

    expect(end).toMatchObject({
      status: "success",
      stop_reason: "completed",
      epoch: 1,
      attempt: 1,
      output: { text: "done" },
    });
    expect(executed).toEqual([run._id]);
    await expect.poll(() => log(run)).toMatchObject([{ type: "run.end", key: "run:end", data: { status: "success" } }]);
    await expect.poll(() => deps.store.runs.get(run._id)).toMatchObject({ owed: [], owed_at: null });
  });

  it("is refused while another one holds the thread, and accepted afterwards", async () => {
    const open = gate();
    startRunner(async () => {
      await open.promise;
      return success;
    });
    const first = await submitRun(deps, aRunRequest());
    const request = aRunRequest({ thread_id: first.thread_id });

    await expect(submitRun(deps, request)).rejects.toMatchObject({ code: "thread_busy" });
    open.resolve();
    await ended(first._id);
    expect(await ended((await submitRun(deps, request))._id)).toMatchObject({ status: "success", turn: 2 });
  });

  it("that throws is an error with the message, and is not tried again", async () => {
    let executions = 0;
    startRunner(async () => {
      executions += 1;
      throw new Error("boom");
    });
    const run = await submitRun(deps, aRunRequest());

    expect(await ended(run._id)).toMatchObject({
      status: "error",
      stop_reason: "agent_error",
      error: { message: "boom" },
    });
    expect(executions).toBe(1);
  });

  it("meets an infrastructure fault and is executed again without a charge", async () => {
    const attempts: number[] = [];
    startRunner(async (run) => {
      attempts.push(run.attempt);
      if (attempts.length === 1) throw new AntlerError("bus_unavailable", "NATS is away");
      return success;
    });
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });
    const run = await submitRun(deps, aRunRequest());

    expect(await ended(run._id)).toMatchObject({ status: "success", attempt: 1, epoch: 2, dispatch: 2 });
    expect(attempts).toEqual([1, 1]);
    await reconciler.stop();
  });

  it("is handed back by a drain at its cutoff and continues in another process", async () => {
    const started = gate();
    const first = startRunner((_run, lease) => {
      started.resolve();
      return untilAborted(lease);
    });
    const run = await submitRun(deps, aRunRequest());
    await started.promise;
    await first.drain(AbortSignal.abort());
    expect(await deps.store.runs.get(run._id)).toMatchObject({ status: "pending", attempt: 0, epoch: 1 });

    startRunner(async () => success, await stack.connect());
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });
    expect(await ended(run._id)).toMatchObject({ status: "success", attempt: 1, epoch: 2 });
    await reconciler.stop();
  });

  it("finishes within the grace of a drain", async () => {
    const started = gate();
    const open = gate();
    const worker = startRunner(async () => {
      started.resolve();
      await open.promise;
      return success;
    });
    const run = await submitRun(deps, aRunRequest());
    await started.promise;
    const drained = worker.drain(new AbortController().signal);
    open.resolve();
    await drained;

    expect(await deps.store.runs.get(run._id)).toMatchObject({ status: "success", epoch: 1 });
  });
});

describe("a lost worker", () => {
  it("is replaced when its lease is over, and its late outcome is dropped", async () => {
    const late = gate();
    const begun = gate<Lease>();
    const outcomes: string[] = [];
    startRunner(async (_run, lease) => {
      begun.resolve(lease);
      await late.promise;
      outcomes.push("late");
      return { ...success, output: { text: "late" } };
    });
    const run = await submitRun(deps, aRunRequest());
    const lease = await begun.promise;
    const { runs } = deps.store;
    const takenOver = async () => {
      await runs.renew({ id: run._id, epoch: lease.epoch, claimId: lease.claimId }, 1);
      return runs.claim(run._id, { id: newId(), runner_id: "other", pid: 1 }, 60_000);
    };
    await expect.poll(takenOver).toBeDefined();
    await expect.poll(() => lease.signal.aborted, { timeout: 5000 }).toBe(true);
    expect(lease.signal.reason).toMatchObject({ code: "lease_lost" });
    expect(() => lease.assertHeld()).toThrow(/lease/i);
    late.resolve();

    await expect.poll(() => outcomes).toEqual(["late"]);
    expect(await runs.get(run._id)).toMatchObject({ output: null });
    await runs.force(run._id, {}, { status: "error", fields: {}, owed: [] });
  });

  it("costs an attempt each time until none is left", async () => {
    const draft = await submitRun(deps, aRunRequest({ lane: "batch" }));
    for (let attempt = 1; attempt <= draft.max_attempts; attempt += 1) {
      const claim = { id: newId(), runner_id: "dies", pid: 1 };
      await expect.poll(() => deps.store.runs.claim(draft._id, claim, 1), { interval: 10 }).toMatchObject({ attempt });
    }
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });

    expect(await ended(draft._id)).toMatchObject({ status: "error", stop_reason: "lost_worker", attempt: 5 });
    await reconciler.stop();
  });
});

describe("a cancel", () => {
  it("ends a waiting run at once", async () => {
    const run = await submitRun(deps, aRunRequest());
    const { runs } = createKinds(deps);
    const cancelled = await cancelRun(runs, address(run));

    expect(cancelled).toMatchObject({ status: "interrupted", stop_reason: "cancelled", epoch: 1 });
    expect(await cancelRun(runs, address(run))).toMatchObject({ status: "interrupted" });
  });

  it("reaches a running one by signal and is idempotent", async () => {
    const started = gate();
    startRunner((_run, lease) => {
      started.resolve();
      return untilAborted(lease);
    });
    const run = await submitRun(deps, aRunRequest());
    await started.promise;
    const { runs } = createKinds(deps);
    await Promise.all([cancelRun(runs, address(run)), cancelRun(runs, address(run))]);

    expect(await ended(run._id)).toMatchObject({ status: "interrupted", stop_reason: "cancelled" });
    await expect.poll(() => log(run)).toMatchObject([{ type: "run.end", data: { stop_reason: "cancelled" } }]);
  });

  it("with rollback leaves no head, so that the thread goes on from the turn before", async () => {
    const first = aRunDraft({ head: "checkpoint-1" });
    await deps.store.runs.insert(first);
    await deps.store.runs.force(first._id, {}, { status: "success", fields: {}, owed: [] });
    const second = aRunDraft({ thread_id: first.thread_id, head: "checkpoint-2" });
    const insertion = await deps.store.runs.insert(second);
    if (insertion.kind !== "inserted") throw new Error("The run was refused");
    expect(await deps.store.runs.newestHead(first.thread_id)).toBe("checkpoint-2");
    const cancelled = await cancelRun(createKinds(deps).runs, { ...address(insertion.run), action: "rollback" });

    expect(cancelled).toMatchObject({ status: "error", stop_reason: "rolled_back", head: null });
    expect(await deps.store.runs.newestHead(first.thread_id)).toBe("checkpoint-1");
  });

  it("DF-X30 is refused for a run that ended otherwise, for another tenant's and for none at all", async () => {
    startRunner(async () => success);
    const run = await submitRun(deps, aRunRequest());
    await ended(run._id);
    const { runs } = createKinds(deps);

    await expect(cancelRun(runs, address(run))).rejects.toMatchObject({ code: "run_not_cancellable" });
    await expect(cancelRun(runs, { ...address(run), tenantId: "other" })).rejects.toMatchObject({
      code: "run_not_found",
    });
    await expect(cancelRun(runs, { ...address(run), runId: newId() })).rejects.toMatchObject({ code: "run_not_found" });
    expect(await deps.store.runs.get(run._id)).toMatchObject({ status: "success", cancel: null });
  });
});

const address = (run: RunRow) =>
  ({ tenantId: run.tenant_id, threadId: run.thread_id, runId: run._id, action: "interrupt" }) as const;

describe("time limits", () => {
  it("end a run that waited too long", async () => {
    const run = await submitRun({ ...deps, config: withDelivery({ queue_timeout_seconds: 0.1 }) }, aRunRequest());
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });

    expect(await ended(run._id)).toMatchObject({ status: "timeout", stop_reason: "queue_timeout" });
    await reconciler.stop();
  });

  it("end a run that runs too long", async () => {
    startRunner((_run, lease) => untilAborted(lease));
    const config = { ...deps.config, runs: { ...deps.config.runs, timeout_seconds: 0.3 } };
    const run = await submitRun({ ...deps, config }, aRunRequest());

    expect(await ended(run._id)).toMatchObject({ status: "timeout", stop_reason: "execution_timeout" });
  });

  it("end a run whose worker ignores its limit, two seconds later and by force", async () => {
    const open = gate();
    startRunner(async () => {
      await open.promise;
      return success;
    });
    const config = { ...deps.config, runs: { ...deps.config.runs, timeout_seconds: 0.3 } };
    const run = await submitRun({ ...deps, config }, aRunRequest());
    const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: "test" });

    expect(await ended(run._id)).toMatchObject({ status: "timeout", epoch: 2 });
    open.resolve();
    await reconciler.stop();
  });
});

function withDelivery(given: Partial<DeliveryDeps["config"]["delivery"]>): DeliveryDeps["config"] {
  return { ...deps.config, delivery: { ...deps.config.delivery, ...given } };
}
