import { isDeepStrictEqual } from "node:util";

import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerUpdateConfig,
  DeliverPolicy,
  DiscardPolicy,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamUpdateConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";

import type { DurableSpec, StreamSpec } from "@antler/contracts";

export type Differences = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

type NewStream = Pick<StreamConfig, "name" | "retention" | "storage"> & Partial<StreamConfig>;

/** Settings of a stream that an update may change. */
export function streamSettings(spec: StreamSpec): Partial<StreamUpdateConfig> {
  return {
    subjects: [...spec.subjects],
    max_age: nanos(spec.maxAgeMs),
    max_bytes: spec.maxBytes,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(spec.duplicateWindowMs),
  };
}

export function newStream(spec: StreamSpec): NewStream {
  const fixed = { name: spec.name, retention: RetentionPolicy.Limits, storage: StorageType.File };
  return { ...fixed, ...streamSettings(spec) };
}

/** Settings of a consumer that an update may change. */
export function durableSettings(spec: DurableSpec): Partial<ConsumerUpdateConfig> {
  return { ack_wait: nanos(spec.ackWaitMs), max_ack_pending: spec.maxAckPending, max_deliver: -1 };
}

/**
 * `ignoredSeq`: up to where tickets are not to be delivered. With 0 the consumer starts at `all`: right on a stream that
 * is new or never held a message. On any other stream `all` would count every ticket as pending, acknowledged or not;
 * there it starts at new tickets, by sequence, so that one can tell which tickets it skips.
 */
export function newDurable(spec: DurableSpec, ignoredSeq: number): Partial<ConsumerConfig> {
  const start =
    ignoredSeq === 0
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: ignoredSeq + 1 };
  return {
    durable_name: spec.name,
    filter_subject: spec.filterSubject,
    ack_policy: AckPolicy.Explicit,
    replay_policy: ReplayPolicy.Instant,
    ...start,
    ...durableSettings(spec),
  };
}

/** What keeps an existing stream from serving, whatever an update does. */
export function streamConflicts({ retention, storage }: StreamConfig): string[] {
  return [
    ...(retention === RetentionPolicy.Limits ? [] : [`retention is ${retention} instead of limits`]),
    ...(storage === StorageType.File ? [] : [`storage is ${storage} instead of file`]),
  ];
}

/** What keeps an existing consumer from serving, whatever an update does. */
export function durableConflicts(config: ConsumerConfig, spec: DurableSpec): string[] {
  const { filter_subject: filter = "", ack_policy: ackPolicy, deliver_subject: push = "" } = config;
  return [
    ...(filter === spec.filterSubject ? [] : [`filter is "${filter}" instead of ${spec.filterSubject}`]),
    ...(ackPolicy === AckPolicy.Explicit ? [] : [`ack policy is ${ackPolicy} instead of explicit`]),
    ...(push === "" ? [] : ["it pushes instead of being pulled"]),
  ];
}

/** Settings of an existing stream under which tickets would get lost, until `antler topology apply`. */
export function streamFaults({ subjects }: StreamConfig, spec: StreamSpec): string[] {
  const missing = spec.subjects.filter((subject) => !subjects.includes(subject));
  return missing.length === 0 ? [] : [`subjects are ${subjects.join(", ")} without ${missing.join(", ")}`];
}

/** Settings of an existing consumer under which tickets would get lost, until `antler topology apply`. */
export function durableFaults(config: ConsumerConfig): string[] {
  const { max_deliver: maxDeliver = -1, backoff = [], inactive_threshold: inactive = 0 } = config;
  return [
    ...(maxDeliver <= 0 ? [] : [`max_deliver is ${maxDeliver} instead of -1`]),
    ...(backoff.length === 0 ? [] : ["backoff is set"]),
    ...(inactive === 0 ? [] : [`inactive_threshold is ${inactive / 1e9} s: it would vanish while nobody pulls`]),
  ];
}

/** Each setting that differs from the wanted one, in the server's own units. */
export function differences(existing: object, wanted: object): Differences {
  const before = new Map<string, unknown>(Object.entries(existing));
  const changed = Object.entries(wanted).filter(([name, to]) => !isDeepStrictEqual(before.get(name), to));
  return Object.fromEntries(changed.map(([name, to]) => [name, { from: before.get(name), to: to as unknown }]));
}

/** Whether an existing consumer takes tickets for work that the durable is to deliver. Mere readers do not. */
export function overlaps({ ack_policy, filter_subject: filter = ">" }: ConsumerConfig, spec: DurableSpec): boolean {
  return ack_policy === AckPolicy.Explicit && subjectsOverlap(filter.split("."), spec.filterSubject.split("."));
}

/** Whether a stream takes what is published on the subject. */
export function takesSubject(streamSubjects: readonly string[], subject: string): boolean {
  return streamSubjects.some((filter) => subjectsOverlap(filter.split("."), subject.split(".")));
}

function subjectsOverlap(one: readonly string[], other: readonly string[]): boolean {
  const [a, ...restOfOne] = one;
  const [b, ...restOfOther] = other;
  if (a === undefined || b === undefined) return a === b;
  if (a === ">" || b === ">") return true;
  return (a === b || a === "*" || b === "*") && subjectsOverlap(restOfOne, restOfOther);
}
