import {
  type Checkpoint,
  type CheckpointMetadata,
  INTERRUPT,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { Binary } from "mongodb";

import { AntlerError } from "@antler/contracts";

import type { CheckpointAddress } from "./checkpoint-reader.ts";
import type { Collections } from "./collections.ts";
import type { RunFenceKey } from "./run-fence.ts";
import { repeatOnDuplicate, storeCall } from "./store-call.ts";

/** Largest checkpoint, and largest pending write, in bytes; MongoDB refuses documents of 16 MB. */
export const CHECKPOINT_MAX_BYTES = 12 * 1024 * 1024;

interface CheckpointPlace extends CheckpointAddress {
  readonly parentId: string | undefined;
}

interface WriterTask {
  readonly taskId: string;
  readonly taskPath: string;
}

/** Writes checkpoints in the layout of the LangGraph checkpointer, marked with the claim. Does not check the claim. */
export interface CheckpointWriter {
  /** Throws `document_too_large`. Repeatable. */
  checkpoint(place: CheckpointPlace, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<void>;
  /** A task's write stays as it was first stored; errors, interrupts and resume values are replaced. */
  pendingWrites(address: CheckpointAddress, writes: readonly PendingWrite[], task: WriterTask): Promise<void>;
  /** The last checkpoint of the namespace that the latest claim wrote. */
  latestOf(place: Pick<CheckpointAddress, "threadId" | "namespace">): Promise<string | undefined>;
}

export function createCheckpointWriter(
  collections: Pick<Collections, "checkpoints" | "checkpointWrites">,
  serde: SerializerProtocol,
  { runId, epoch }: RunFenceKey,
): CheckpointWriter {
  const upsertAll = (operations: Parameters<Collections["checkpointWrites"]["bulkWrite"]>[0]) =>
    storeCall(() => repeatOnDuplicate(() => collections.checkpointWrites.bulkWrite(operations)));

  /** A question belongs to the run that asked it first: when a later run that asks it again is rolled back, it stays. */
  const updateOf = (channel: string, operator: "$set" | "$setOnInsert", fields: object) => {
    const owner = { run_id: runId, epoch };
    if (operator === "$set" && channel === INTERRUPT) return { $set: fields, $setOnInsert: owner };
    return { [operator]: { ...fields, ...owner } };
  };

  return {
    async checkpoint(place, checkpoint, metadata) {
      const [type, value] = await serde.dumpsTyped(checkpoint);
      const [, about] = await serde.dumpsTyped(metadata);
      assertBounded("Checkpoint", value.byteLength + about.byteLength);
      const fields = {
        parent_checkpoint_id: place.parentId ?? null,
        type,
        checkpoint: new Binary(value),
        metadata: new Binary(about),
        run_id: runId,
        epoch,
      };
      const write = () => collections.checkpoints.updateOne(keyOf(place), { $set: fields }, { upsert: true });
      await storeCall(() => repeatOnDuplicate(write));
    },

    async pendingWrites(address, writes, { taskId, taskPath }) {
      if (writes.length === 0) return;
      const operator = writes.every(([channel]) => channel in WRITES_IDX_MAP) ? "$set" : "$setOnInsert";
      const operations = writes.map(async ([channel, given], index) => {
        const [type, value] = await serde.dumpsTyped(given);
        assertBounded("Pending write", value.byteLength);
        const filter = { ...keyOf(address), task_id: taskId, idx: WRITES_IDX_MAP[channel] ?? index };
        const fields = { channel, type, value: new Binary(value), task_path: taskPath };
        return { updateOne: { filter, update: updateOf(channel, operator, fields), upsert: true } };
      });
      await upsertAll(await Promise.all(operations));
    },

    async latestOf({ threadId, namespace }) {
      const options = { sort: { run_id: -1, epoch: -1, checkpoint_id: -1 }, projection: { checkpoint_id: 1 } } as const;
      const filter = { thread_id: threadId, checkpoint_ns: namespace };
      const found = await storeCall(() => collections.checkpoints.findOne(filter, options));
      return found?.checkpoint_id;
    },
  };
}

function keyOf({ threadId, namespace, checkpointId }: CheckpointAddress) {
  return { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId };
}

function assertBounded(what: string, bytes: number): void {
  if (bytes <= CHECKPOINT_MAX_BYTES) return;
  const remedy = "start a new thread, or let tools write large output to files";
  throw new AntlerError(
    "document_too_large",
    `${what} has ${bytes} bytes, more than ${CHECKPOINT_MAX_BYTES}: ${remedy}`,
  );
}
