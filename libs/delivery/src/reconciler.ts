import { durablesOf, isAntlerError, messageOf } from "@antler/contracts";

import type { DeliveryDeps } from "./delivery-deps.ts";
import { endOverdue, payOwed, republishStranded } from "./reconcile.ts";
import type { RunKind } from "./run-kind.ts";
import type { TaskKind } from "./task-kind.ts";
import { createWakeup } from "./wakeup.ts";

export interface Reconciler {
  /** Stops after the row in hand. */
  stop(): Promise<void>;
}

export interface ReconcilerOptions extends DeliveryDeps {
  readonly runs: RunKind;
  readonly tasks: TaskKind;
  /** Names this process in the store lease. */
  readonly holder: string;
}

const LEASE = "reconciler";
const LEASE_MS = 15_000;

/** Repairs stranded rows in the background. Many processes may start one; a store lease lets one work at a time. */
export function startReconciler(options: ReconcilerOptions): Reconciler {
  const stopping = new AbortController();
  const done = loop(options, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function loop(options: ReconcilerOptions, signal: AbortSignal): Promise<void> {
  const { store, config, logger, holder } = options;
  const pause = createWakeup();
  while (!signal.aborted) {
    try {
      if (await store.leases.acquire(LEASE, holder, LEASE_MS)) await pass(options, signal);
    } catch (error) {
      logger[levelOf(error, signal)]({ err: messageOf(error) }, "Reconciler pass failed");
    }
    await pause.wait(config.delivery.reconcile_seconds * 1000, signal).catch(() => undefined);
  }
  await store.leases.release(LEASE, holder).catch(() => undefined);
}

function levelOf(error: unknown, signal: AbortSignal): "debug" | "warn" | "error" {
  if (signal.aborted) return "debug";
  return isAntlerError(error, "store_unavailable", "bus_unavailable") ? "warn" : "error";
}

/**
 * What must end ends first, tasks before their runs; what needs the bus comes last, so that its absence delays nothing
 * else. A pass ends well before the lease does: what is left over waits for the next one.
 */
async function pass({ bus, config, logger, runs, tasks }: ReconcilerOptions, stop: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LEASE_MS * 0.8)]);
  const durables = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000);
  const of = (stream: "RUNS" | "TASKS") => durables.filter((durable) => durable.stream === stream);
  const ofTasks = { bus, logger, signal, kind: tasks, durables: of("TASKS") };
  const ofRuns = { bus, logger, signal, kind: runs, durables: of("RUNS") };
  await endOverdue(ofTasks);
  await endOverdue(ofRuns);
  await payOwed(ofTasks);
  await payOwed(ofRuns);
  await republishStranded(ofTasks);
  await republishStranded(ofRuns);
}
