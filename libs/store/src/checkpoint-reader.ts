import {
  type CheckpointTuple,
  compareWritesSortKeys,
  JsonPlusSerializer,
  type SerializerProtocol,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";

import type { CheckpointDocument, CheckpointWriteDocument, Collections } from "./collections.ts";
import { storeCall } from "./store-call.ts";

export interface CheckpointAddress {
  readonly threadId: string;
  /** Empty for the root graph. */
  readonly namespace: string;
  readonly checkpointId: string;
}

/** Reads checkpoints by their id, without any fence. Never looks for the newest one: that may be a stale writer's. */
export interface CheckpointReader {
  read(address: CheckpointAddress): Promise<CheckpointTuple | undefined>;
  /** The checkpoint and its ancestors, newest first, over turns whose inner checkpoints were removed. */
  lineage(address: CheckpointAddress): AsyncGenerator<CheckpointTuple>;
}

type CheckpointSource = Pick<Collections, "checkpoints" | "checkpointWrites" | "runs">;

export function createCheckpointReader(
  collections: CheckpointSource,
  serde: SerializerProtocol = new JsonPlusSerializer(),
): CheckpointReader {
  const find = ({ threadId, namespace, checkpointId }: CheckpointAddress) => {
    const filter = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId };
    return storeCall(() => collections.checkpoints.findOne(filter));
  };

  const tupleOf = async (document: CheckpointDocument): Promise<CheckpointTuple> => {
    const { thread_id, checkpoint_ns, checkpoint_id } = document;
    const filter = { thread_id, checkpoint_ns, checkpoint_id };
    const writes = await storeCall(() => collections.checkpointWrites.find(filter).toArray());
    return revive(serde, document, writes.toSorted(byTaskPath));
  };

  const baseOf = async (runId: string): Promise<string | null> => {
    const run = await storeCall(() => collections.runs.findOne({ _id: runId }, { projection: { base: 1 } }));
    return run?.base ?? null;
  };

  /** The parent, or, when it was removed, the checkpoint from which the run of `document` started. */
  const before = async (document: CheckpointDocument): Promise<CheckpointDocument | null> => {
    const at = (checkpointId: string | null) =>
      checkpointId === null
        ? null
        : find({ threadId: document.thread_id, namespace: document.checkpoint_ns, checkpointId });
    const parent = await at(document.parent_checkpoint_id ?? null);
    if (parent !== null || document.run_id === undefined || document.checkpoint_ns !== "") return parent;
    const base = await baseOf(document.run_id);
    return base === document.checkpoint_id ? null : at(base);
  };

  return {
    async read(address) {
      const document = await find(address);
      return document === null ? undefined : tupleOf(document);
    },
    async *lineage(address) {
      let document: CheckpointDocument | null = await find(address);
      while (document !== null) {
        yield await tupleOf(document);
        document = await before(document);
      }
    },
  };
}

async function revive(
  serde: SerializerProtocol,
  document: CheckpointDocument,
  writes: readonly CheckpointWriteDocument[],
): Promise<CheckpointTuple> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = document;
  const config = (id: string) => ({ configurable: { thread_id, checkpoint_ns, checkpoint_id: id } });
  return {
    config: config(checkpoint_id),
    checkpoint: (await serde.loadsTyped(document.type, document.checkpoint.value())) as CheckpointTuple["checkpoint"],
    metadata: (await serde.loadsTyped(document.type, document.metadata.value())) as NonNullable<
      CheckpointTuple["metadata"]
    >,
    pendingWrites: await Promise.all(
      writes.map(async ({ task_id, channel, type, value }): Promise<[string, string, unknown]> => [
        task_id,
        channel,
        await serde.loadsTyped(type, value.value()),
      ]),
    ),
    ...(parent_checkpoint_id != null && { parentConfig: config(parent_checkpoint_id) }),
  };
}

/** The order in which a live run applies the writes of one step. */
function byTaskPath(a: CheckpointWriteDocument, b: CheckpointWriteDocument): number {
  return compareWritesSortKeys(
    writesSortKey(a.task_path ?? "", a.task_id, a.idx),
    writesSortKey(b.task_path ?? "", b.task_id, b.idx),
  );
}
