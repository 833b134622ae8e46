import type { Msg, NatsConnection } from "@nats-io/nats-core";

import type { DurableSpec } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";

import type { ConnectionWatch } from "./connection-watch.ts";
import { createDelivery, type Delivery, handBack } from "./delivery.ts";
import { pullOne, type PullOutcome, type PullTiming } from "./pull.ts";
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

const RETRY_MS = 1000;
const LOST_PAUSE_MS = 200;

export function startPullLoop(deps: PullLoopDeps, options: PullLoopOptions): WatchedPullLoop {
  const { durable, slots, handle } = options;
  const logger = options.logger.child({ durable: durable.name });
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();
  let holding = new AbortController();
  let changed = Promise.withResolvers<undefined>();
  let deafness: string | undefined;

  const notify = () => {
    changed.resolve(undefined);
    changed = Promise.withResolvers();
  };
  const mayPull = () => !holding.signal.aborted && inHand.size < slots;

  const execute = async (message: Msg) => {
    const delivery = createDelivery(deps.connection, message, logger);
    try {
      await handle(delivery);
    } catch (error) {
      logger.error({ err: error, stream_seq: delivery.streamSeq }, "Handler failed; the ticket is handed back");
      delivery.nak(jittered(RETRY_MS));
    }
  };
  const take = (message: Msg) => {
    if (stopping.signal.aborted || !mayPull()) return void handBack(message);
    const task = execute(message).finally(() => {
      inHand.delete(task);
      notify();
    });
    inHand.add(task);
  };
  const recover = async (reason: string) => {
    if (stopping.signal.aborted || deps.watch.session.aborted) return;
    deafness = reason;
    logger.warn({ reason }, "Pull was not served");
    await deps.keeper.repair(`pull of ${durable.name}: ${reason}`);
    await delay(jittered(LOST_PAUSE_MS), stopping.signal);
  };
  const follow = async (outcome: PullOutcome) => {
    if (outcome.kind === "message") take(outcome.message);
    if (outcome.kind === "lost") await recover(outcome.reason);
  };
  const pull = async () => {
    await deps.keeper.usable(stopping.signal);
    const signal = AbortSignal.any([holding.signal, stopping.signal, deps.watch.session]);
    if (signal.aborted) return;
    const onSign = () => (deafness = undefined);
    await follow(await pullOne({ connection: deps.connection, durable, timing: deps.timing, signal, onSign }));
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      if (mayPull()) await pull();
      else await changed.promise;
    }
  };
  const running = run().catch((error: unknown) => {
    if (!stopping.signal.aborted) logger.error({ err: error }, "Pull loop ended");
  });

  return {
    get inHand() {
      return inHand.size;
    },
    get deafness() {
      return deafness;
    },
    pause: () => {
      holding.abort();
    },
    resume: () => {
      if (holding.signal.aborted) holding = new AbortController();
      notify();
    },
    stop: async () => {
      stopping.abort();
      notify();
      await running;
    },
    idle: async () => {
      while (inHand.size > 0) await Promise.all(inHand);
    },
  };
}

function jittered(ms: number): number {
  return ms * (1 + Math.random());
}
