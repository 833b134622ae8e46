import type { PoolsConfig } from "./config-pools.ts";
import { CHECKER_POOL, type Lane, LANES, LEAD_POOL, ticketSubject } from "./subjects.ts";

export type StreamName = "RUNS" | "TASKS" | "CHECKS";

export interface StreamSpec {
  readonly name: StreamName;
  readonly subjects: readonly string[];
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly duplicateWindowMs: number;
}

export interface DurableSpec {
  readonly stream: StreamName;
  readonly name: string;
  readonly pool: string;
  readonly lane: Lane;
  readonly filterSubject: string;
  readonly ackWaitMs: number;
  /** The lane's cluster-wide concurrency. */
  readonly maxAckPending: number;
}

const DAY_MS = 24 * 3600 * 1000;
const limits = { maxAgeMs: DAY_MS, maxBytes: 1024 ** 3, duplicateWindowMs: 120_000 };

/** Streams keep what is acked until it is a day old: a shared durable with explicit acks is the queue. */
export const STREAMS: readonly StreamSpec[] = [
  { name: "RUNS", subjects: ["runs.*"], ...limits },
  { name: "TASKS", subjects: ["tasks.*.*"], ...limits },
  { name: "CHECKS", subjects: ["checks.*"], ...limits },
];

export function streamOfPool(pool: string): StreamName {
  if (pool === LEAD_POOL) return "RUNS";
  return pool === CHECKER_POOL ? "CHECKS" : "TASKS";
}

export function durableName(pool: string, lane: Lane): string {
  return `${pool}_${lane}`;
}

/** One durable for each pool and lane. Their filters are disjoint, so no ticket is delivered twice by design. */
export function durablesOf(pools: PoolsConfig, ackWaitMs: number): readonly DurableSpec[] {
  return Object.entries(pools).flatMap(([pool, settings]) =>
    LANES.map((lane) => ({
      stream: streamOfPool(pool),
      name: durableName(pool, lane),
      pool,
      lane,
      filterSubject: ticketSubject(pool, lane),
      ackWaitMs,
      maxAckPending: settings.concurrency[lane],
    })),
  );
}
