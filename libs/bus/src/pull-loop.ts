import type { Msg, NatsConnection } from "@nats-io/nats-core";

import { type DurableSpec, messageOf } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";

import { abortable } from "./abortable.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { type Delivery, handBack } from "./delivery.ts";
import { createHands } from "./hands.ts";
import { jittered } from "./jitter.ts";
import { pullOne, type PullTiming } from "./pull.ts";
import type { TopologyKeeper } from "./topology-keeper.ts";

export interface PullLoopOptions {
  readonly durable: DurableSpec;
  /** Deliveries in hand at once. */
  readonly slots: number;
  /** Owns the delivery until it settles. What it throws hands the ticket back for 1 to 2 s. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  readonly logger: Logger;
}

/** Asks for one ticket at a time, and only while a slot is free. */
export interface PullLoop {
  readonly inHand: number;
  /** Stops asking; a ticket that is on its way is handed back. */
  pause(): void;
  resume(): void;
  /** Ends pulling for good. Resolves when no ticket can come any more; handlers go on. */
  stop(): Promise<void>;
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>;
}

export interface PullLoopDeps {
  readonly connection: NatsConnection;
  readonly watch: ConnectionWatch;
  readonly keeper: TopologyKeeper;
  readonly timing: PullTiming;
}

/** A loop with what the bus itself needs of it. */
export interface WatchedPullLoop extends PullLoop {
  /** Why the loop hears nothing at present. */
  readonly deafness: string | undefined;
}

const LOST_PAUSE_MS = 200;

export function startPullLoop(deps: PullLoopDeps, options: PullLoopOptions): WatchedPullLoop {
  const logger = options.logger.child({ durable: options.durable.name });
  const stopping = new AbortController();
  let holding = new AbortController();
  let changed = Promise.withResolvers<undefined>();
  let deafness: string | undefined;

  const wake = () => {
    changed.resolve(undefined);
    changed = Promise.withResolvers();
  };
  const hands = createHands({ ...options, connection: deps.connection, logger, onFreed: wake });

  const take = (message: Msg, { aborted }: AbortSignal): void => {
    if (aborted) handBack(message);
    else hands.take(message);
  };
  const pull = async (): Promise<void> => {
    await deps.keeper.usable(stopping.signal);
    const signal = AbortSignal.any([stopping.signal, holding.signal, deps.watch.session]);
    const onSign = () => (deafness = undefined);
    const outcome = await pullOne({ ...deps, durable: options.durable, signal, onSign });
    if (outcome.kind === "message") take(outcome.message, signal);
    if (outcome.kind === "lost" && !signal.aborted) throw new Error(outcome.reason);
  };
  const recover = async (reason: string): Promise<void> => {
    deafness = reason;
    logger.warn({ reason }, "Pull was not served");
    await abortable(deps.keeper.repair(`pull of ${options.durable.name}: ${reason}`), stopping.signal);
    await delay(jittered(LOST_PAUSE_MS), stopping.signal);
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const mayPull = !holding.signal.aborted && hands.isFree;
      await (mayPull ? pull() : changed.promise).catch((error: unknown) =>
        stopping.signal.aborted ? undefined : recover(messageOf(error)).catch(() => undefined),
      );
    }
  };
  const running = run();

  return {
    get inHand() {
      return hands.count;
    },
    get deafness() {
      return deafness;
    },
    pause: () => {
      holding.abort();
    },
    resume: () => {
      if (holding.signal.aborted) holding = new AbortController();
      wake();
    },
    stop: async () => {
      stopping.abort();
      wake();
      await running;
    },
    idle: () => hands.idle(),
  };
}
