import type { ConsumerConfig, ConsumerInfo, JetStreamManager, StreamInfo } from "@nats-io/jetstream";

import { AntlerError, type DurableSpec, type StreamName, type StreamSpec } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import { busError, orUndefined } from "./jetstream-errors.ts";
import {
  differences,
  durableConflicts,
  durableFaults,
  durableSettings,
  newDurable,
  newStream,
  overlaps,
  streamConflicts,
  streamFaults,
} from "./topology-settings.ts";

/** Runs `work` while no other process does under the same name; `undefined` when another one holds the name. */
export type Exclusive = <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;

export interface TopologySpec {
  readonly streams: readonly StreamSpec[];
  readonly durables: readonly DurableSpec[];
}

export interface TopologyDeps {
  readonly manager: JetStreamManager;
  readonly logger: Logger;
}

/** Creates what is missing and changes nothing that exists, except consumers that are ahead of their stream. */
export async function ensureTopology(deps: TopologyDeps, spec: TopologySpec, exclusive: Exclusive): Promise<void> {
  const fresh = new Set<string>();
  for (const stream of spec.streams) if (await ensureStream(deps, stream)) fresh.add(stream.name);
  for (const stream of spec.streams) await refuseOverlaps(deps.manager, stream.name, spec.durables);
  for (const durable of spec.durables) {
    const consumer = await ensureDurable(deps, durable, fresh.has(durable.stream));
    await repairIfAhead(deps, { durable, consumer, exclusive });
  }
}

/** Whether the stream was created. */
async function ensureStream({ manager, logger }: TopologyDeps, spec: StreamSpec): Promise<boolean> {
  const existing = await orUndefined(manager.streams.info(spec.name));
  const { config } = existing ?? (await createStream(manager, spec));
  refuse(`Stream ${spec.name}`, [...streamConflicts(config), ...streamFaults(config, spec)]);
  if (existing === undefined) logger.info({ stream: spec.name }, "Stream created");
  return existing === undefined;
}

/** Two consumers whose filters overlap would both deliver a ticket. */
async function refuseOverlaps(
  manager: JetStreamManager,
  stream: StreamName,
  durables: readonly DurableSpec[],
): Promise<void> {
  const own = durables.filter((durable) => durable.stream === stream);
  for await (const { name, config } of manager.consumers.list(stream)) {
    const clash = own.find((durable) => durable.name !== name && overlaps(config, durable));
    if (clash === undefined) continue;
    refuse(`Consumer ${name} of stream ${stream}`, [`its filter overlaps with that of consumer ${clash.name}`]);
  }
}

/**
 * Creates the stream, or returns the one that another process created at the same time: the server may refuse equal
 * streams that are created at once, since their subjects overlap.
 */
export async function createStream(manager: JetStreamManager, spec: StreamSpec): Promise<StreamInfo> {
  try {
    return await manager.streams.add(newStream(spec));
  } catch (error) {
    const other = await orUndefined(manager.streams.info(spec.name));
    if (other !== undefined) return other;
    throw busError(`Stream ${spec.name} cannot be created`, error);
  }
}

async function ensureDurable(deps: TopologyDeps, spec: DurableSpec, isStreamFresh: boolean): Promise<ConsumerInfo> {
  const { manager, logger } = deps;
  const info = await orUndefined(manager.consumers.info(spec.stream, spec.name));
  if (info !== undefined) {
    refuse(`Consumer ${spec.name}`, [...durableConflicts(info.config, spec), ...durableFaults(info.config)]);
    reportDifferences(logger, info.config, spec);
    return info;
  }
  const created = await createDurable(manager, spec, isStreamFresh);
  logger.info({ stream: spec.stream, durable: spec.name }, "Consumer created");
  return created;
}

/** A consumer serves under other settings than the configured ones until they are applied. */
function reportDifferences(logger: Logger, config: ConsumerConfig, spec: DurableSpec): void {
  const settings = differences(config, durableSettings(spec));
  if (Object.keys(settings).length === 0) return;
  const message = "Consumer differs from the configuration; run: antler topology apply";
  logger.warn({ durable: spec.name, settings }, message);
}

/**
 * Creates the consumer, or returns the one that another process created at the same time. On a fresh stream, one that
 * was created along with it, it delivers what was published meanwhile.
 */
export async function createDurable(
  manager: JetStreamManager,
  spec: DurableSpec,
  isStreamFresh: boolean,
): Promise<ConsumerInfo> {
  const { state } = await manager.streams.info(spec.stream);
  const lastSeq = isStreamFresh ? 0 : state.last_seq;
  try {
    return await manager.consumers.add(spec.stream, newDurable(spec, lastSeq));
  } catch (error) {
    const other = await orUndefined(manager.consumers.info(spec.stream, spec.name));
    if (other !== undefined) return other;
    throw busError(`Consumer ${spec.name} of stream ${spec.stream} cannot be created`, error);
  }
}

interface Ahead {
  readonly durable: DurableSpec;
  readonly consumer: ConsumerInfo;
  readonly exclusive: Exclusive;
}

/**
 * After a crash of the server a stream may have lost its end, and a consumer that was further would skip new tickets
 * until the stream has caught up.
 */
async function repairIfAhead(deps: TopologyDeps, { durable, consumer, exclusive }: Ahead): Promise<void> {
  if (!(await isAhead(deps.manager, consumer, durable.stream))) return;
  const repaired = await exclusive(`topology:${durable.stream}:${durable.name}`, () => recreateIfAhead(deps, durable));
  if (repaired !== undefined) return;
  throw new AntlerError("bus_unavailable", `Another process repairs consumer ${durable.name}`);
}

async function recreateIfAhead({ manager, logger }: TopologyDeps, spec: DurableSpec): Promise<true> {
  const consumer = await orUndefined(manager.consumers.info(spec.stream, spec.name));
  if (consumer !== undefined) {
    if (!(await isAhead(manager, consumer, spec.stream))) return true;
    await orUndefined(manager.consumers.delete(spec.stream, spec.name));
  }
  await createDurable(manager, spec, false);
  logger.warn({ stream: spec.stream, durable: spec.name }, "Consumer was ahead of its stream and is made anew");
  return true;
}

/** The stream is read after the consumer: what is delivered in between must not look ahead. */
async function isAhead(manager: JetStreamManager, consumer: ConsumerInfo, name: StreamName): Promise<boolean> {
  const stream = await manager.streams.info(name);
  return consumer.delivered.stream_seq > stream.state.last_seq;
}

export function refuse(subject: string, conflicts: readonly string[]): void {
  if (conflicts.length === 0) return;
  const message = `${subject} cannot serve Antler: ${conflicts.join("; ")}`;
  throw new AntlerError("topology_conflict", message, { details: { conflicts } });
}
