import type { ConsumerInfo, JetStreamManager } from "@nats-io/jetstream";

import type { DurableSpec, StreamName } from "@antler/contracts";
import { monotonicMs } from "@antler/platform";

import { orUndefined } from "./jetstream-errors.ts";

export interface StreamState {
  /** When the stream was created, as the server writes it: tells a stream from one made anew under its name. */
  readonly created: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly subjects: readonly string[];
}

export interface DurableState {
  /** The first ticket that the durable was made to deliver. */
  readonly startSeq: number;
  readonly deliveredSeq: number;
  /** Deliveries without an acknowledgement yet. */
  readonly inFlight: number;
  /** Every ticket up to here is acknowledged. */
  readonly ackFloorSeq: number;
}

/** States of streams and durables, asked for at most once a second each; `undefined` when there is none. */
export interface ServerStates {
  stream(name: StreamName): Promise<StreamState | undefined>;
  durable(spec: DurableSpec): Promise<DurableState | undefined>;
  readonly forget: () => void;
}

const MAX_AGE_MS = 1000;

export function createServerStates(manager: JetStreamManager): ServerStates {
  const streams = createCache(async (name: string) => {
    const info = await orUndefined(manager.streams.info(name));
    if (info === undefined) return undefined;
    const { first_seq: firstSeq, last_seq: lastSeq } = info.state;
    return { created: info.created, firstSeq, lastSeq, subjects: info.config.subjects };
  });
  const durables = createCache(async (key: string) => {
    const [stream = "", name = ""] = key.split(".");
    const info = await orUndefined(manager.consumers.info(stream, name));
    if (info === undefined) return undefined;
    return durableState(info);
  });
  return {
    stream: streams.get,
    durable: ({ stream, name }) => durables.get(`${stream}.${name}`),
    forget: () => {
      streams.clear();
      durables.clear();
    },
  };
}

function durableState({ config, delivered, ack_floor: floor, num_ack_pending: inFlight }: ConsumerInfo): DurableState {
  const startSeq = config.opt_start_seq ?? 1;
  return { startSeq, deliveredSeq: delivered.stream_seq, inFlight, ackFloorSeq: floor.stream_seq };
}

interface Cache<T> {
  readonly get: (key: string) => Promise<T>;
  clear(): void;
}

/** Shares a reading for a second from when it was asked for; failures are not kept. */
function createCache<T>(read: (key: string) => Promise<T>): Cache<T> {
  const readings = new Map<string, { atMs: number; value: Promise<T> }>();
  const get = (key: string): Promise<T> => {
    const known = readings.get(key);
    if (known !== undefined && monotonicMs() - known.atMs < MAX_AGE_MS) return known.value;
    const value = read(key);
    readings.set(key, { atMs: monotonicMs(), value });
    value.catch(() => readings.delete(key));
    return value;
  };
  return { get, clear: () => readings.clear() };
}
