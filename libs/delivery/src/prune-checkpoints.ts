import type { RunRow, Store } from "@antler/store";

/**
 * Leaves what a thread still needs: of the run that has just ended everything, of the turn before it the checkpoint
 * that the thread went on from. A run without a head may have left an answer there. Of a run that was rolled back
 * nothing stays, and all that was before it.
 */
export async function pruneCheckpoints({ runs, checkpoints }: Store, run: RunRow): Promise<void> {
  if (run.stop_reason === "rolled_back") return checkpoints.keepOnlyHead(run._id, null);
  const before = await runs.runBefore(run.thread_id, run.turn);
  if (before !== undefined) await checkpoints.keepOnlyHead(before._id, before.head);
}
