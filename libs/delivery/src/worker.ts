import type { Bus, Delivery, PullLoop } from "@antler/bus";
import { type DeliveryConfig, type DurableSpec, isAntlerError, messageOf, subjects } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";
import type { WorkRow } from "@antler/store";

import { buryDelivery, type DeadLetterSink } from "./bury-delivery.ts";
import { takeTicket } from "./claim-row.ts";
import { executeClaimed } from "./execute-claimed.ts";
import type { Lease } from "./lease.ts";
import { createLeaseBook, type LeaseBook } from "./lease-book.ts";
import { drainError, readDelivery } from "./read-delivery.ts";
import { createStorePause } from "./store-pause.ts";
import type { WorkKind } from "./work-kind.ts";

/** A process's share of a pool: pulls tickets for its free slots and works on what it claims. */
export interface Worker {
  readonly inHand: number;
  /** Lines in Prometheus' text format. */
  readonly metrics: () => string;
  /**
   * Stops pulling, hands back what is not begun, lets running work finish until `cutoff`, then hands that back too;
   * resolves when nothing is in hand, and at the latest some seconds after `cutoff`.
   */
  readonly drain: (cutoff: AbortSignal) => Promise<void>;
}

export interface WorkerOptions<Row extends WorkRow, Outcome> {
  readonly kind: WorkKind<Row, Outcome>;
  readonly bus: Bus;
  readonly durables: readonly { readonly durable: DurableSpec; readonly slots: number }[];
  readonly delivery: DeliveryConfig;
  readonly runner: { readonly id: string; readonly pid: number };
  readonly logger: Logger;
  readonly deadLetters: DeadLetterSink;
  /** Resolves when the store answers again. */
  readonly storeAnswers: (signal: AbortSignal) => Promise<void>;
  readonly execute: (row: Row, lease: Lease) => Promise<Outcome>;
}

export function startWorker<Row extends WorkRow, Outcome>(options: WorkerOptions<Row, Outcome>): Worker {
  const { bus, logger, durables } = options;
  const leases = createLeaseBook();
  const pause = createStorePause(options.storeAnswers);
  const buried = new Map<string, number>();

  const handle = async (message: Delivery): Promise<void> => {
    try {
      const execution = await workOn(options, leases, message);
      if (execution === "buried") buried.set(message.stream, (buried.get(message.stream) ?? 0) + 1);
    } catch (error) {
      if (isAntlerError(error, "store_unavailable")) pause.begin(loops);
      else logger.error({ subject: message.subject, err: messageOf(error) }, "Delivery failed");
      message.nak(1000 + Math.random() * 1000);
    }
  };
  const loops: readonly PullLoop[] = durables.map(({ durable, slots }) =>
    bus.startPullLoop({ durable, slots, handle, logger }),
  );
  const cancels = bus.subscribe(subjects.cancelAll, (_payload, subject) => {
    leases.checkRun(subject.slice(subjects.cancel("").length));
  });

  return {
    get inHand() {
      return loops.reduce((sum, loop) => sum + loop.inHand, 0);
    },
    metrics: () => buriedMetric(buried),
    async drain(cutoff) {
      await drainLoops(loops, leases, cutoff);
      cancels.close();
      await pause.end();
    },
  };
}

async function workOn<Row extends WorkRow, Outcome>(
  options: WorkerOptions<Row, Outcome>,
  leases: LeaseBook,
  message: Delivery,
): Promise<"buried" | undefined> {
  const { kind, delivery, logger, execute, runner } = options;
  const reading = await readDelivery(message, kind.name);
  if (reading.kind === "bury") {
    await buryDelivery(message, reading.reason, options.deadLetters);
    return "buried";
  }
  if (reading.kind === "hand_back" || leases.isClosed) {
    message.nak(reading.kind === "hand_back" ? reading.delayMs : 0);
    return undefined;
  }
  const leaseMs = delivery.lease_seconds * 1000;
  const taken = await takeTicket(kind, reading.ticket.id, { runner, leaseMs, logger });
  const deps = { kind, logger, leaseMs, renewalMs: delivery.renewal_seconds * 1000, execute, track: leases.track };
  const working = () => {
    message.working();
  };
  const execution = taken === undefined ? "over" : await executeClaimed(deps, taken, working);
  if (execution === "handed_back") message.nak();
  else await message.ack();
  return undefined;
}

function buriedMetric(buried: ReadonlyMap<string, number>): string {
  return [
    "# HELP antler_dead_letters_buried_total Messages that were put aside as dead letters",
    "# TYPE antler_dead_letters_buried_total counter",
    ...[...buried].map(([stream, count]) => `antler_dead_letters_buried_total{stream="${stream}"} ${count}`),
    "",
  ].join("\n");
}

/** Time after the cutoff in which stopped work may still write its release; less than a drain step may take then. */
const HAND_BACK_MS = 4000;

async function drainLoops(loops: readonly PullLoop[], leases: LeaseBook, cutoff: AbortSignal): Promise<void> {
  const idle = new AbortController();
  const handBack = () => {
    leases.abortAll(drainError());
  };
  leases.close(drainError());
  if (cutoff.aborted) handBack();
  cutoff.addEventListener("abort", handBack, { once: true });
  await Promise.all(loops.map((loop) => loop.stop()));
  await Promise.race([Promise.all(loops.map((loop) => loop.idle())), handBackEnd(cutoff, idle.signal)]);
  idle.abort();
  cutoff.removeEventListener("abort", handBack);
}

/** Resolves some time after the cutoff, or at once when the loops were idle before. */
async function handBackEnd(cutoff: AbortSignal, idle: AbortSignal): Promise<void> {
  const either = AbortSignal.any([cutoff, idle]);
  if (!either.aborted) {
    await new Promise((resolve) => {
      either.addEventListener("abort", resolve, { once: true });
    });
  }
  await delay(HAND_BACK_MS, idle).catch(() => undefined);
}
