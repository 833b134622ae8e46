import type { RunRow, Store } from "@antler/store";

/**
 * Leaves what a thread still needs: of the run that has just ended all checkpoints, or none when it was rolled back; of
 * the turn before it the one that the thread went on from.
 */
export async function pruneCheckpoints({ runs, checkpoints }: Store, run: RunRow): Promise<void> {
  if (run.head === null) await checkpoints.keepOnlyHead(run._id, null);
  const before = await runs.runBefore(run.thread_id, run.turn);
  if (before !== undefined) await checkpoints.keepOnlyHead(before._id, before.head);
}
