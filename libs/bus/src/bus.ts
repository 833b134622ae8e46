import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";

import type { DurableSpec, StreamSpec, Ticket, TraceContext } from "@antler/contracts";
import { withDeadline } from "@antler/platform";

import { type ConnectionOptions, connectNats } from "./connection.ts";
import { watchConnection } from "./connection-watch.ts";
import { busError } from "./jetstream-errors.ts";
import { createPublisher, createSizeCheck, type ExpectFits, type PublishedTicket } from "./publisher.ts";
import type { PullTiming } from "./pull.ts";
import { type PullLoop, type PullLoopOptions, startPullLoop, type WatchedPullLoop } from "./pull-loop.ts";
import { createServerStates } from "./server-states.ts";
import { createSignals, type SignalHandler, type Subscription } from "./signals.ts";
import { createTicketInspector, type TicketPlace, type TicketState } from "./ticket-state.ts";
import type { Exclusive } from "./topology.ts";
import { applyTopology, type TopologyChange } from "./topology-apply.ts";
import { createTopologyKeeper } from "./topology-keeper.ts";

export interface BusOptions extends ConnectionOptions {
  readonly pull?: PullTiming;
}

export interface BusHealth {
  readonly ready: boolean;
  readonly reasons: string[];
}

/** The message bus. It reconnects by itself, and repairs streams and consumers that it was told of. */
export interface Bus {
  /**
   * Creates what is missing, changes nothing that exists, and repeats that on each reconnect. Consumers ahead of their
   * stream are made anew under `exclusive`.
   * @throws AntlerError `topology_conflict`, `bus_unavailable`.
   */
  ensureTopology(streams: readonly StreamSpec[], durables: readonly DurableSpec[], exclusive: Exclusive): Promise<void>;
  /** Brings what exists to the given settings, live, and creates what is missing. */
  applyTopology(streams: readonly StreamSpec[], durables: readonly DurableSpec[]): Promise<readonly TopologyChange[]>;
  /**
   * Resolves once the ticket is stored. Waits at most 5 s.
   * @throws AntlerError `bus_unavailable` (the ticket may be stored all the same), `payload_too_large`.
   */
  publishTicket(subject: string, ticket: Ticket, trace: TraceContext): Promise<PublishedTicket>;
  /**
   * Checks, without sending anything, that the server would take the ticket with its headers.
   * @throws AntlerError `payload_too_large`.
   */
  readonly expectFits: ExpectFits;
  /** What has become of a ticket; knowledge up to 1 s old. `settled` and `gone` are certain. */
  inspectTicket(durable: DurableSpec, place: TicketPlace): Promise<TicketState>;
  startPullLoop(options: PullLoopOptions): PullLoop;
  /** Sends on core NATS; never throws, and may be lost. */
  signal(subject: string, payload: object): void;
  subscribe(subject: string, handler: SignalHandler): Subscription;
  /** Resolves when the server has everything sent so far; waits at most 5 s. */
  flush(): Promise<void>;
  health(): BusHealth;
  /** Stops all pull loops, sends what is left and closes the connection; waits at most 2 s. */
  close(): Promise<void>;
}

const PULL_TIMING: PullTiming = { expiresMs: 30_000, heartbeatMs: 2000 };
const FLUSH_LIMIT_MS = 5000;
const CLOSE_LIMIT_MS = 2000;

/** @throws AntlerError `bus_unavailable` naming NATS_URL, `config_invalid`, or the signal's reason. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { logger } = options;
  const connection = await connectNats(options);
  const closing = new AbortController();
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const watch = watchConnection(connection, logger);
  const states = createServerStates(manager);
  watch.onChange(states.forget);
  const keeper = createTopologyKeeper({ manager, logger, watch, closing: closing.signal, onRepair: states.forget });
  const loops = new Set<WatchedPullLoop>();
  const signals = createSignals(connection, watch, logger);

  return {
    ensureTopology: (streams, durables, exclusive) => keeper.ensure({ streams, durables }, exclusive),
    applyTopology: (streams, durables) => applyTopology({ manager, logger }, { streams, durables }),
    publishTicket: createPublisher({ connection, client: jetstream(connection), watch, states, keeper }),
    expectFits: createSizeCheck({ connection }),
    inspectTicket: createTicketInspector({ states, keeper }),
    startPullLoop: (loopOptions) => {
      const deps = { connection, watch, keeper, timing: options.pull ?? PULL_TIMING };
      const loop = startPullLoop(deps, loopOptions);
      loops.add(loop);
      return loop;
    },
    ...signals,
    flush: () => flush(connection),
    health: () => {
      const connected = watch.isConnected ? [] : ["not connected to NATS"];
      const topology = keeper.fault === undefined ? [] : [keeper.fault];
      const deaf = [...loops].flatMap(({ deafness }) => (deafness === undefined ? [] : [`pull loop: ${deafness}`]));
      const reasons = [...connected, ...topology, ...deaf];
      return { ready: reasons.length === 0, reasons };
    },
    close: async () => {
      closing.abort(new Error("The bus is closed"));
      await Promise.all([...loops].map((loop) => loop.stop()));
      await close(connection, watch.isConnected);
    },
  };
}

async function flush(connection: NatsConnection): Promise<void> {
  try {
    await withDeadline(() => connection.flush(), FLUSH_LIMIT_MS);
  } catch (error) {
    throw busError("NATS did not confirm in time", error);
  }
}

/** Draining waits for the server, so it is left out without a connection and bounded with one. */
async function close(connection: NatsConnection, isConnected: boolean): Promise<void> {
  if (isConnected) await withDeadline(() => connection.drain(), CLOSE_LIMIT_MS).catch(() => undefined);
  await connection.close();
}
