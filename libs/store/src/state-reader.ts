import { BaseMessage } from "@langchain/core/messages";
import type { CheckpointPendingWrite, CheckpointTuple } from "@langchain/langgraph-checkpoint";

import { Interrupt } from "@antler/contracts";

import { type CheckpointReader, createCheckpointReader } from "./checkpoint-reader.ts";
import type { Collections } from "./collections.ts";

/** The state of a thread at one checkpoint as plain JSON values; messages are flat objects with a `type`. */
export interface StoredState {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** Questions that wait for an answer, each with the step's task that asks. */
  readonly interrupts: readonly StoredInterrupt[];
}

export interface StoredInterrupt extends Interrupt {
  readonly task_id: string;
}

/** Reads thread states without a claim and without the graph. */
export interface StateReader {
  /** Undefined when the thread has no such checkpoint. */
  readState(threadId: string, checkpointId: string): Promise<StoredState | undefined>;
  /** The state at the checkpoint and those before it, newest first. */
  history(threadId: string, checkpointId: string, limit: number): Promise<readonly StoredState[]>;
}

export function createStateReader(
  collections: Pick<Collections, "checkpoints" | "checkpointWrites" | "runs">,
  reader: CheckpointReader = createCheckpointReader(collections),
): StateReader {
  const address = (threadId: string, checkpointId: string) => ({ threadId, checkpointId, namespace: "" });
  return {
    async readState(threadId, checkpointId) {
      const tuple = await reader.read(address(threadId, checkpointId));
      return tuple && stateOf(tuple);
    },
    async history(threadId, checkpointId, limit) {
      const states: StoredState[] = [];
      for await (const tuple of reader.lineage(address(threadId, checkpointId))) {
        if (states.length >= limit) break;
        states.push(stateOf(tuple));
      }
      return states;
    },
  };
}

/** Channels of the graph's own bookkeeping. */
const INTERNAL = /^(__|branch:|start:)/;

function stateOf({ checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple): StoredState {
  const values = Object.entries(checkpoint.channel_values).filter(([name]) => !INTERNAL.test(name));
  const parent: unknown = parentConfig?.configurable?.["checkpoint_id"];
  return {
    checkpoint_id: checkpoint.id,
    parent_checkpoint_id: typeof parent === "string" ? parent : null,
    values: plain(Object.fromEntries(values)),
    metadata: plain({ ...metadata }),
    created_at: checkpoint.ts,
    interrupts: interruptsIn(pendingWrites),
  };
}

const INTERRUPT = "__interrupt__";

/** Writes of a task that has not ended: what it asks, what it was answered, and how it failed. */
const UNENDED: ReadonlySet<string> = new Set([INTERRUPT, "__resume__", "__error__"]);

/** What tasks ask that have not ended since. */
function interruptsIn(writes: readonly CheckpointPendingWrite[]): readonly StoredInterrupt[] {
  const ended = new Set(writes.filter(([, name]) => !UNENDED.has(name)).map(([taskId]) => taskId));
  return writes
    .filter(([taskId, name]) => name === INTERRUPT && !ended.has(taskId))
    .flatMap(([taskId, , value]) => [value].flat().map((one) => ({ ...Interrupt.parse(one), task_id: taskId })));
}

function plain(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (BaseMessage.isInstance(value)) return plainMessage(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (isPlainObject(value)) return plain(value);
  return value;
}

function plainMessage(message: BaseMessage): Record<string, unknown> {
  const { type, data } = message.toDict();
  return { ...plain({ ...data }), type };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
