import { afterAll, beforeAll, expect, it } from "vitest";

import type { Bus } from "@antler/bus";
import { durablesOf } from "@antler/contracts";
import { newId } from "@antler/platform";

import { aRunRequest, type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { anEnvelopeDraft } from "../../../test/harness/rows.ts";
import {
  createDelegation,
  createKinds,
  type DeliveryDeps,
  startRunWorker,
  startTaskWorker,
  submitRun,
  waitUntilTerminal,
} from "../src/index.ts";

const TASKS = 50;

let stack: DeliveryStack;
let deps: DeliveryDeps;
let open = 0;

beforeAll(async () => {
  stack = await startDeliveryStack({});
  const connected = await stack.connect();
  deps = { ...connected, bus: counting(connected.bus) };
});
afterAll(() => stack.stop());

/** A bus that counts the subscriptions that are open. */
function counting(bus: Bus): Bus {
  return {
    ...bus,
    subscribe(subject, handler) {
      const subscription = bus.subscribe(subject, handler);
      open += 1;
      return {
        close() {
          open -= 1;
          subscription.close();
        },
      };
    },
  };
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** The timers that are alive while a poll is, since the poll that compares them has one of its own. */
async function timersDuringPoll(): Promise<number> {
  let count = 0;
  await expect.poll(() => ((count = timers()), true)).toBe(true);
  return count;
}

it("a run with 50 tasks leaves no timer, no subscription and no pending ticket behind", async () => {
  const runner = { id: `runner-${newId()}`, pid: process.pid };
  const done = { stop_reason: "completed", error: null } as const;
  const tasks = startTaskWorker({
    ...deps,
    runner,
    pools: ["general"],
    execute: () =>
      Promise.resolve({ ...done, status: "completed", result: "ok", partial_result: null, usage: null, steps: 0 }),
  });
  const delegation = createDelegation(deps);
  const runs = startRunWorker({
    ...deps,
    runner,
    async execute(run, lease) {
      const calls = Array.from({ length: TASKS }, () =>
        delegation.delegate({
          run,
          lease,
          signal: lease.signal,
          maxTotal: TASKS,
          envelope: anEnvelopeDraft({ run_id: run._id, thread_id: run.thread_id }),
          onEvent: () => undefined,
        }),
      );
      const outcomes = await Promise.all(calls);
      return { ...done, status: "success", output: { completed: outcomes.length } };
    },
  });
  await runToItsEnd();
  const before = { open, timers: await timersDuringPoll() };
  await runToItsEnd();

  await expect.poll(() => runs.inHand + tasks.inHand).toBe(0);
  await expect.poll(() => open).toBe(before.open);
  await expect.poll(timers).toBeLessThanOrEqual(before.timers);
  await Promise.all([runs, tasks].map((worker) => worker.drain(AbortSignal.abort())));
});

/** A run of 50 tasks; resolves when each of its tickets is acknowledged. */
async function runToItsEnd(): Promise<void> {
  const run = await submitRun(deps, aRunRequest());
  const { runs: kind } = createKinds(deps);

  const ended = await waitUntilTerminal(kind, run._id, {
    bus: deps.bus,
    signal: AbortSignal.timeout(30_000),
    pollMs: 200,
  });
  expect(ended).toMatchObject({ status: "success", output: { completed: TASKS } });

  const tickets = (await deps.store.tasks.listByRun(run._id)).map(({ ticket }) => ticket);
  expect(tickets).toHaveLength(TASKS);
  const durable = durablesOf(deps.config.pools, 15_000).find(({ name }) => name === "general_interactive");
  if (durable === undefined) throw new Error("There is no general pool");
  for (const ticket of tickets) {
    if (ticket === null) throw new Error("A task has no ticket");
    await expect.poll(() => deps.bus.inspectTicket(durable, ticket), { timeout: 5000 }).toBe("settled");
  }
}
