import { deadlinePassed, type TaskRow } from "@antler/store";

import { DEADLINE_ENDING } from "./disposition.ts";
import { endRow } from "./end-row.ts";
import type { TaskKind } from "./task-kind.ts";
import { type WaitOptions, waitUntilTerminal } from "./wait-until-terminal.ts";

/**
 * A lead's wait for its task. It is over at the task's deadline also when no other process is there to end the task:
 * then the lead itself ends it by force, and whoever still executes it loses its lease.
 * @throws task_not_found when the row is gone; the signal's reason when the wait is ended.
 */
export async function waitForTask(kind: TaskKind, task: TaskRow, options: WaitOptions): Promise<TaskRow> {
  for (let limitMs = deadlineMs(task); ; limitMs = options.pollMs) {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return await waitUntilTerminal(kind, task._id, { ...options, signal: AbortSignal.any([options.signal, limit]) });
    } catch (error) {
      if (options.signal.aborted || !limit.aborted) throw error;
      await endRow(kind, task, { condition: deadlinePassed, ending: DEADLINE_ENDING });
    }
  }
}

/** The whole time of a task; both dates are the store's. A lead that waits anew gives it all of it once more. */
function deadlineMs({ created_at: from, deadline_at: until }: TaskRow): number {
  return Math.max(1, until.getTime() - from.getTime());
}
