import { durablesOf, type DurableSpec, LEAD_POOL } from "@antler/contracts";
import { delay, withDeadline } from "@antler/platform";
import type { RunRow, TaskRow, WorkRow } from "@antler/store";

import { createDeadLetterSink } from "./dead-letter-sink.ts";
import type { DeliveryDeps } from "./delivery-deps.ts";
import { createKinds } from "./kinds.ts";
import type { Lease } from "./lease.ts";
import type { RunOutcome } from "./run-kind.ts";
import type { TaskOutcome } from "./task-kind.ts";
import type { WorkKind } from "./work-kind.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface RunnerIdentity {
  readonly id: string;
  readonly pid: number;
}

export interface RunWorkerOptions extends DeliveryDeps {
  readonly runner: RunnerIdentity;
  readonly execute: (run: RunRow, lease: Lease) => Promise<RunOutcome>;
}

export interface TaskWorkerOptions extends DeliveryDeps {
  readonly runner: RunnerIdentity;
  /** Pools whose tasks this process takes. */
  readonly pools: readonly string[];
  readonly execute: (task: TaskRow, lease: Lease) => Promise<TaskOutcome>;
}

/** Starts to work on runs: pulls a ticket for every free slot of the lead pool. */
export function startRunWorker(options: RunWorkerOptions): Worker {
  const { runs } = createKinds(options);
  return start(options, runs, [LEAD_POOL], options.execute);
}

/** Starts to work on the tasks of some pools. */
export function startTaskWorker(options: TaskWorkerOptions): Worker {
  const { tasks } = createKinds(options);
  return start(options, tasks, options.pools, options.execute);
}

function start<Row extends WorkRow, Outcome>(
  deps: DeliveryDeps & { readonly runner: RunnerIdentity },
  kind: WorkKind<Row, Outcome>,
  pools: readonly string[],
  execute: (row: Row, lease: Lease) => Promise<Outcome>,
): Worker {
  const { bus, config, runner, logger } = deps;
  return startWorker({
    kind,
    bus,
    durables: sharesOf(deps, pools),
    delivery: config.delivery,
    runner,
    logger,
    deadLetters: createDeadLetterSink(deps.store, kind),
    storeAnswers: (signal) => storeAnswers(deps, signal),
    execute,
  });
}

function sharesOf({ config }: DeliveryDeps, pools: readonly string[]): { durable: DurableSpec; slots: number }[] {
  return durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000)
    .filter((durable) => pools.includes(durable.pool))
    .map((durable) => ({ durable, slots: config.pools[durable.pool]?.slots[durable.lane] ?? 1 }));
}

const PING_DELAY_MS = 500;
const PING_LIMIT_MS = 10_000;

async function storeAnswers({ store }: DeliveryDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answers = await withDeadline(() => store.ping(), PING_LIMIT_MS, signal).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await delay(PING_DELAY_MS, signal);
  }
}
