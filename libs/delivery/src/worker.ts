import type { Bus, Delivery, PullLoop } from "@antler/bus";
import { type DeliveryConfig, type DurableSpec, isAntlerError, messageOf, subjects } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";
import type { WorkRow } from "@antler/store";
import { buryDelivery, type DeadLetterSink } from "./bury-delivery.ts";
import { takeTicket } from "./claim-row.ts";
import { executeClaimed, type ExecutionDeps } from "./execute-claimed.ts";
import type { HeldLease, Lease } from "./lease.ts";
import { drainError, readDelivery } from "./read-delivery.ts";
import type { WorkKind } from "./work-kind.ts";

/** A process's share of a pool: pulls tickets for its free slots and works on what it claims. */
export interface Worker {
  readonly inHand: number;
  /** Stops pulling, lets running work finish until `cutoff`, then hands it back; resolves when nothing is in hand. */
  drain(cutoff: AbortSignal): Promise<void>;
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
  execute(row: Row, lease: Lease): Promise<Outcome>;
}

export function startWorker<Row extends WorkRow, Outcome>(options: WorkerOptions<Row, Outcome>): Worker {
  const { kind, bus, logger, delivery: config } = options;
  const leases = new Map<string, { readonly row: Row; readonly lease: HeldLease }>();
  const stopping = new AbortController();
  let waiting: Promise<void> | undefined;

  const deps: ExecutionDeps<Row, Outcome> = {
    kind,
    logger,
    leaseMs: config.lease_seconds * 1000,
    renewalMs: config.renewal_seconds * 1000,
    execute: options.execute,
    track: (row, lease) => {
      leases.set(lease.claimId, { row, lease });
      return () => leases.delete(lease.claimId);
    },
  };

  const handle = async (message: Delivery): Promise<void> => {
    const reading = readDelivery(message, kind.name);
    if (reading.kind === "hand_back") return message.nak(reading.delayMs);
    if (reading.kind === "bury") return buryDelivery(message, reading.reason, options.deadLetters);
    const taken = await takeTicket(kind, reading.ticket.id, { runner: options.runner, leaseMs: deps.leaseMs });
    if (taken !== undefined) await executeClaimed(deps, taken, () => message.working());
    await message.ack();
  };

  const guarded = async (message: Delivery): Promise<void> => {
    try {
      await handle(message);
    } catch (error) {
      if (isAntlerError(error, "store_unavailable")) pauseUntilStoreAnswers();
      else logger.error({ subject: message.subject, err: messageOf(error) }, "Delivery failed");
      message.nak(1000 + Math.random() * 1000);
    }
  };

  const loops: readonly PullLoop[] = options.durables.map(({ durable, slots }) =>
    bus.startPullLoop({ durable, slots, handle: guarded, logger }),
  );

  const pauseUntilStoreAnswers = () => {
    waiting ??= (async () => {
      for (const loop of loops) loop.pause();
      await options.storeAnswers(stopping.signal).catch(() => undefined);
      for (const loop of loops) loop.resume();
      waiting = undefined;
    })();
  };

  const cancels = bus.subscribe(subjects.cancelAll, (_payload, subject) => {
    for (const { row, lease } of leases.values()) if (subject === subjects.cancel(row.run_id)) lease.check();
  });

  return {
    get inHand() {
      return loops.reduce((sum, loop) => sum + loop.inHand, 0);
    },
    async drain(cutoff) {
      const handBack = () => {
        for (const { lease } of leases.values()) lease.abort(drainError());
      };
      if (cutoff.aborted) handBack();
      cutoff.addEventListener("abort", handBack, { once: true });
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.race([Promise.all(loops.map((loop) => loop.idle())), handedBack(cutoff)]);
      cutoff.removeEventListener("abort", handBack);
      stopping.abort();
      cancels.close();
      await waiting;
    },
  };
}

/** Time after the cutoff in which stopped work may still write its release. */
const HAND_BACK_MS = 10_000;

async function handedBack(cutoff: AbortSignal): Promise<void> {
  if (!cutoff.aborted) await new Promise((resolve) => cutoff.addEventListener("abort", resolve, { once: true }));
  await delay(HAND_BACK_MS);
}
