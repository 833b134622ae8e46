import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { AntlerError } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { TaskRow } from "@antler/store";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import {
  createDelegation,
  type DeliveryDeps,
  startTaskWorker,
  type TaskWorkerOptions,
  type Worker,
} from "../src/index.ts";
import { completed, type HeldRun, holdRun, requestOf, untilAborted } from "./held-run.ts";

let stack: DeliveryStack;
let lead: DeliveryDeps;
let first: DeliveryDeps;
let second: DeliveryDeps;
let held: HeldRun;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  stack = await startDeliveryStack();
  [lead, first, second] = await Promise.all([stack.connect(), stack.connect(), stack.connect()]);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => stack.stop());

const never = new AbortController().signal;

/** Less than the silence after which the bus delivers a ticket again by itself. */
const AT_ONCE_MS = 1500;

/** No reconciler runs in these tests: what is handed back comes again by its ticket alone. */
function startRunner(deps: DeliveryDeps, execute: TaskWorkerOptions["execute"]): Worker {
  const identity = { id: `runner-${newId()}`, pid: process.pid };
  const worker = startTaskWorker({ ...deps, runner: identity, pools: ["general"], execute });
  closing.push(() => worker.drain(AbortSignal.abort()));
  return worker;
}

async function delegate(count: number) {
  held = await holdRun(lead);
  closing.push(held.release);
  const outcomes = Array.from({ length: count }, () => createDelegation(lead).delegate(requestOf(held)));
  return Promise.all(outcomes);
}

const rows = (): Promise<readonly TaskRow[]> => lead.store.tasks.listByRun(held.run._id);

/** The dependencies of a worker whose claims, after so many, wait for a gate on their way to the store. */
function holdingClaims(deps: DeliveryDeps, { after }: { readonly after: number }) {
  const gate = Promise.withResolvers<undefined>();
  const { tasks } = deps.store;
  const claims = { count: 0 };
  const claim: typeof tasks.claim = async (...given) => {
    claims.count += 1;
    if (claims.count > after) await gate.promise;
    return tasks.claim(...given);
  };
  const holding: DeliveryDeps = { ...deps, store: { ...deps.store, tasks: { ...tasks, claim } } };
  return { holding, claims, open: () => gate.resolve(undefined) };
}

describe("a worker that drains", () => {
  it("finishes what runs, and what it has not begun starts elsewhere at once [FC-B15]", async () => {
    const started = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    const executed: string[] = [];
    const { holding, claims, open } = holdingClaims(first, { after: 1 });
    const draining = startRunner(holding, async (task) => {
      executed.push(task._id);
      started.resolve(undefined);
      await finish.promise;
      return completed("first");
    });
    const outcomes = delegate(3);
    await started.promise;
    await expect.poll(() => claims.count).toBe(3);
    const ended = draining.drain(never);
    startRunner(second, async () => completed("second"));
    const handedBackAt = performance.now();
    open();
    await expect.poll(async () => (await rows()).filter(({ status }) => status === "completed").length).toBe(2);
    expect(performance.now() - handedBackAt).toBeLessThan(AT_ONCE_MS);
    expect(draining.inHand).toBe(1);
    finish.resolve(undefined);
    await ended;

    expect((await outcomes).map(({ result }) => result).toSorted()).toEqual(["first", "second", "second"]);
    expect(executed).toHaveLength(1);
    expect((await rows()).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  it("hands what still runs at the cutoff back at once, its attempt with it [FC-B01]", async () => {
    const started = Promise.withResolvers<undefined>();
    const draining = startRunner(first, (_task, lease) => {
      started.resolve(undefined);
      return untilAborted(lease);
    });
    const outcomes = delegate(1);
    await started.promise;
    startRunner(second, async () => completed("second"));
    const askedAt = performance.now();
    await draining.drain(AbortSignal.abort());

    expect(await outcomes).toMatchObject([{ result: "second" }]);
    expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
    expect(await rows()).toMatchObject([{ status: "completed", attempt: 1, epoch: 2 }]);
  });

  it("does not wait for a store that is silent", async () => {
    const { tasks } = first.store;
    const asked = Promise.withResolvers<undefined>();
    const silent = async (): Promise<never> => {
      throw new AntlerError("store_unavailable", "The store does not answer");
    };
    const ping = () => {
      asked.resolve(undefined);
      return new Promise<never>(() => undefined);
    };
    const store = { ...first.store, ping, tasks: { ...tasks, claim: silent, get: silent } };
    const draining = startRunner({ ...first, store }, async () => completed("first"));
    const outcomes = delegate(1);
    await asked.promise;
    const askedAt = performance.now();
    await draining.drain(never);
    expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
    startRunner(second, async () => completed("second"));

    expect(await outcomes).toMatchObject([{ result: "second" }]);
  });

  it("ends some seconds after the cutoff also when what runs cannot be stopped", async () => {
    const started = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    const draining = startRunner(first, async () => {
      started.resolve(undefined);
      await finish.promise;
      return completed("late");
    });
    const outcomes = delegate(1);
    await started.promise;
    const askedAt = performance.now();
    await draining.drain(AbortSignal.abort());
    expect(performance.now() - askedAt).toBeLessThan(5000);
    finish.resolve(undefined);
    startRunner(second, async () => completed("second"));

    await outcomes;
    expect(await rows()).toMatchObject([{ status: "completed" }]);
  });
});
