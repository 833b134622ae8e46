import type { ConsumerConfig, ConsumerUpdateConfig } from "@nats-io/jetstream";

import type { DurableSpec, StreamSpec } from "@antler/contracts";

import { busError, orUndefined } from "./jetstream-errors.ts";
import { createDurable, createStream, refuse, type TopologyDeps, type TopologySpec } from "./topology.ts";
import {
  type Differences,
  differences,
  durableConflicts,
  durableSettings,
  streamConflicts,
  streamSettings,
} from "./topology-settings.ts";

/** One thing that `applyTopology` did; durations are the server's nanoseconds. */
export interface TopologyChange {
  readonly kind: "stream" | "consumer";
  readonly name: string;
  readonly action: "created" | "updated";
  /** Each changed setting with its old and new value; empty for what was created. */
  readonly settings: Differences;
}

/** Creates what is missing and brings the settings of what exists to the given ones, live. */
export async function applyTopology(deps: TopologyDeps, spec: TopologySpec): Promise<readonly TopologyChange[]> {
  const changes: TopologyChange[] = [];
  for (const stream of spec.streams) changes.push(...(await applyStream(deps, stream)));
  const fresh = new Set(changes.filter(({ action }) => action === "created").map(({ name }) => name));
  for (const durable of spec.durables) changes.push(...(await applyDurable(deps, durable, fresh.has(durable.stream))));
  return changes;
}

async function applyStream({ manager }: TopologyDeps, spec: StreamSpec): Promise<TopologyChange[]> {
  const { name } = spec;
  const info = await orUndefined(manager.streams.info(name));
  if (info === undefined) {
    await createStream(manager, spec);
    return [{ kind: "stream", name, action: "created", settings: {} }];
  }
  refuse(`Stream ${name}`, streamConflicts(info.config));
  const settings = differences(info.config, streamSettings(spec));
  if (Object.keys(settings).length === 0) return [];
  await updated(`Stream ${name}`, manager.streams.update(name, streamSettings(spec)));
  return [{ kind: "stream", name, action: "updated", settings }];
}

async function applyDurable(
  { manager }: TopologyDeps,
  spec: DurableSpec,
  isStreamFresh: boolean,
): Promise<TopologyChange[]> {
  const { stream, name } = spec;
  const info = await orUndefined(manager.consumers.info(stream, name));
  if (info === undefined) {
    await createDurable(manager, spec, isStreamFresh);
    return [{ kind: "consumer", name, action: "created", settings: {} }];
  }
  refuse(`Consumer ${name}`, durableConflicts(info.config, spec));
  const wanted = { ...durableSettings(spec), ...withoutLimits(info.config) };
  const settings = differences(info.config, wanted);
  if (Object.keys(settings).length === 0) return [];
  await updated(`Consumer ${name}`, manager.consumers.update(stream, name, wanted));
  return [{ kind: "consumer", name, action: "updated", settings }];
}

async function updated(subject: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    throw busError(`${subject} cannot be updated`, error);
  }
}

/** Takes away what no durable of ours has. */
function withoutLimits({ backoff, inactive_threshold: inactive }: ConsumerConfig): Partial<ConsumerUpdateConfig> {
  return {
    ...(backoff === undefined ? {} : { backoff: [] }),
    ...(inactive === undefined ? {} : { inactive_threshold: 0 }),
  };
}
