import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  getCheckpointId,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import type { MongoClient } from "mongodb";

import { type CheckpointReader, createCheckpointReader } from "./checkpoint-reader.ts";
import { type CheckpointWriter, createCheckpointWriter } from "./checkpoint-writer.ts";
import type { Collections } from "./collections.ts";
import { createRunFence, type RunFence, type RunFenceKey } from "./run-fence.ts";

interface FencedSaverOptions {
  readonly client: MongoClient;
  readonly database: string;
  readonly collections: Collections;
}

/**
 * The LangGraph checkpointer of one claim of one run. It writes only while the claim holds (`lease_lost` otherwise),
 * and it reads what the run's head reaches: never merely the newest, which may come from a worker that lost its claim.
 */
export class FencedSaver extends MongoDBSaver {
  readonly #fence: RunFence;
  readonly #reader: CheckpointReader;
  readonly #writer: CheckpointWriter;

  constructor({ client, database, collections }: FencedSaverOptions, key: RunFenceKey) {
    super({ client, dbName: database });
    this.#fence = createRunFence(collections.runs, key);
    this.#reader = createCheckpointReader(collections, this.serde);
    this.#writer = createCheckpointWriter(collections, this.serde, key);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const place = placeOf(config);
    const checkpointId = getCheckpointId(config) || (await this.#current(place));
    return checkpointId === undefined ? undefined : this.#reader.read({ ...place, checkpointId });
  }

  /** Newest first. A `filter` compares fields of the metadata; `before` begins after that checkpoint. */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const place = placeOf(config);
    const checkpointId = getCheckpointId(config) || (await this.#current(place));
    if (checkpointId === undefined) return;
    yield* select(this.#reader.lineage({ ...place, checkpointId }), options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const place = placeOf(config);
    const parentId = getCheckpointId(config) || undefined;
    await this.#writer.checkpoint({ ...place, checkpointId: checkpoint.id, parentId }, checkpoint, metadata);
    if (place.namespace === "") await this.#fence.moveHead(checkpoint.id);
    else await this.#fence.assertHeld();
    const configurable = { thread_id: place.threadId, checkpoint_ns: place.namespace, checkpoint_id: checkpoint.id };
    return { configurable };
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    await this.#fence.assertHeld();
    const address = { ...placeOf(config), checkpointId: getCheckpointId(config) };
    await this.#writer.pendingWrites(address, writes, { taskId, taskPath });
  }

  /** Of the root graph the run's head; of a subgraph, which no head names, the last of the latest claim. */
  #current(place: Place): Promise<string | undefined> {
    return place.namespace === "" ? this.#fence.head() : this.#writer.latestOf(place);
  }
}

interface Place {
  readonly threadId: string;
  readonly namespace: string;
}

function placeOf(config: RunnableConfig): Place {
  const { thread_id, checkpoint_ns } = (config.configurable ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof thread_id !== "string" || thread_id === "") throw new TypeError("configurable.thread_id must be a string");
  return { threadId: thread_id, namespace: typeof checkpoint_ns === "string" ? checkpoint_ns : "" };
}

async function* select(
  lineage: AsyncIterable<CheckpointTuple>,
  { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions,
): AsyncGenerator<CheckpointTuple> {
  const beforeId = before === undefined ? "" : getCheckpointId(before);
  let passed = beforeId === "";
  let given = 0;
  for await (const tuple of lineage) {
    if (given >= limit) return;
    if (passed && matches(tuple, filter)) {
      given += 1;
      yield tuple;
    }
    passed ||= getCheckpointId(tuple.config) === beforeId;
  }
}

function matches({ metadata }: CheckpointTuple, filter: Readonly<Record<string, unknown>>): boolean {
  const fields = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(filter).every(([key, value]) => fields[key] === value);
}
