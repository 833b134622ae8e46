import type { Collections } from "./collections.ts";
import { storeCall } from "./store-call.ts";

/** Removes checkpoints that nothing needs any more. Repeatable. */
export interface CheckpointRetention {
  /** Of the checkpoints that a run wrote only its head stays; without a head none. Not for a run that waits for input. */
  keepOnlyHead(runId: string, head: string | null): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
}

export function createCheckpointRetention(
  collections: Pick<Collections, "checkpoints" | "checkpointWrites">,
): CheckpointRetention {
  const { checkpoints, checkpointWrites } = collections;
  const removeFromBoth = async (filter: Parameters<typeof checkpoints.deleteMany>[0]): Promise<void> => {
    await storeCall(() => checkpoints.deleteMany(filter));
    await storeCall(() => checkpointWrites.deleteMany(filter as Parameters<typeof checkpointWrites.deleteMany>[0]));
  };
  return {
    keepOnlyHead: (runId, head) =>
      removeFromBoth({ run_id: runId, ...(head !== null && { checkpoint_id: { $ne: head } }) }),
    deleteThread: (threadId) => removeFromBoth({ thread_id: threadId }),
  };
}
