import { durablesOf, type DurableSpec, ticketSubject } from "@antler/contracts";
import { createDelegation, type DeliveryDeps, type Lease, startTaskWorker, submitRun } from "@antler/delivery";
import { newId, newTraceContext } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { aRunRequest, startDeliveryStack } from "../harness/delivery-stack.ts";
import { anEnvelopeDraft } from "../harness/rows.ts";
import { type Figure, figureOf } from "./figure.ts";

const ROUNDS = 200;
const WARM_UP = 20;

/**
 * A delegation whose work takes no time, beside a bare ticket and its answer over the same bus in the same rounds.
 * `pick-up` is the part from the subagent's commit to the outcome in the lead's task tool.
 */
export async function benchDelegation(): Promise<readonly Figure[]> {
  const stack = await startDeliveryStack({});
  try {
    const [lead, runner] = await Promise.all([stack.connect(), stack.connect()]);
    const committed = new Map<string, number>();
    const worker = startTaskWorker({
      ...runner,
      store: { ...runner.store, tasks: timeCommits(runner, committed) },
      runner: { id: "bench", pid: process.pid },
      pools: ["general"],
      execute: () =>
        Promise.resolve({
          status: "completed",
          stop_reason: "completed",
          result: "done",
          partial_result: null,
          error: null,
          usage: null,
          steps: 0,
        }),
    });
    const echo = await startEcho(lead, runner);
    const samples = { round: [] as number[], pickUp: [] as number[], echo: [] as number[] };
    const held = await hold(lead);
    for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
      const task = await delegateOnce(lead, held, committed);
      const echoMs = await echo.once();
      if (n < WARM_UP) continue;
      samples.round.push(task.roundMs);
      samples.pickUp.push(task.pickUpMs);
      samples.echo.push(echoMs);
    }
    await echo.stop();
    await worker.drain(AbortSignal.abort());
    const reference = { name: "ticket and answer", values: samples.echo };
    return [
      figureOf("ms", { name: "pick-up of a result", values: samples.pickUp }, reference),
      figureOf("ms", { name: "delegation round trip", values: samples.round }, reference),
    ];
  } finally {
    await stack.stop();
  }
}

/** Notes when the runner's terminal update was confirmed. */
function timeCommits({ store }: DeliveryDeps, committed: Map<string, number>): DeliveryDeps["store"]["tasks"] {
  return {
    ...store.tasks,
    async settle(fence, settlement) {
      const row = await store.tasks.settle(fence, settlement);
      committed.set(fence.id, performance.now());
      return row;
    },
  };
}

interface Held {
  readonly run: RunRow;
  readonly lease: Lease;
}

async function hold({ store, ...deps }: DeliveryDeps): Promise<Held> {
  const { _id } = await submitRun({ store, ...deps }, aRunRequest());
  const claim = { id: newId(), runner_id: "bench", pid: process.pid };
  const run = await store.runs.claim(_id, claim, 3_600_000);
  if (run === undefined) throw new Error("The run could not be claimed");
  const signal = new AbortController().signal;
  return { run, lease: { epoch: 1, attempt: 1, round: 0, claimId: claim.id, signal, assertHeld: () => undefined } };
}

async function delegateOnce(lead: DeliveryDeps, { run, lease }: Held, committed: Map<string, number>) {
  const envelope = anEnvelopeDraft({ run_id: run._id, thread_id: run.thread_id });
  const signal = AbortSignal.timeout(30_000);
  const startedAt = performance.now();
  const request = { run, lease, signal, envelope, maxTotal: 100_000, onEvent: () => undefined };
  await createDelegation(lead).delegate(request);
  const endedAt = performance.now();
  const task = await lead.store.tasks.byCall(run._id, envelope.tool_call_id);
  return { roundMs: endedAt - startedAt, pickUpMs: endedAt - (committed.get(task?._id ?? "") ?? Number.NaN) };
}

/** The bare round trip: a ticket through JetStream to a pull loop, and a core signal back. */
async function startEcho(from: DeliveryDeps, to: DeliveryDeps) {
  const durable = echoDurable(from);
  const answers = new Map<string, () => void>();
  const subscription = from.bus.subscribe("bench.echo", (payload) => answers.get((payload as { id: string }).id)?.());
  const loop = to.bus.startPullLoop({
    durable,
    slots: 1,
    logger: to.logger,
    handle: async (delivery) => {
      to.bus.signal("bench.echo", { id: (JSON.parse(delivery.text) as { id: string }).id });
      await delivery.ack();
    },
  });
  return {
    async once(): Promise<number> {
      const id = newId();
      const answered = new Promise<void>((resolve) => answers.set(id, resolve));
      const startedAt = performance.now();
      const ticket = { kind: "check", id, version: 1, dispatch: 1, round: 0 } as const;
      await from.bus.publishTicket(ticketSubject(durable.pool, durable.lane), ticket, newTraceContext());
      await answered;
      answers.delete(id);
      return performance.now() - startedAt;
    },
    async stop(): Promise<void> {
      subscription.close();
      await loop.stop();
    },
  };
}

function echoDurable({ config }: DeliveryDeps): DurableSpec {
  const found = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000).find(
    ({ pool, lane }) => pool === "checker" && lane === "interactive",
  );
  if (found === undefined) throw new Error("There is no checker pool");
  return found;
}
