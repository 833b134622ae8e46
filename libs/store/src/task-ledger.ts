import type { Collection } from "mongodb";

import { AntlerError, TASK_TERMINAL_STATUSES } from "@antler/contracts";

import type { ResultDocument } from "./collections.ts";
import { insertRow, type NewRow, type RowDates } from "./insert-row.ts";
import type { TaskRow } from "./rows.ts";
import { storeCall } from "./store-call.ts";
import { createWholeResults, type WholeResults } from "./whole-results.ts";
import { createWorkLedger, type WorkLedger } from "./work-ledger.ts";

/** A task row before it has its dates. */
export type TaskDraft = Omit<TaskRow, RowDates> & NewRow;

export interface TaskLedger extends WorkLedger<TaskRow>, Pick<WholeResults, "wholeResult"> {
  /** Inserts the task of a call, or finds the one that the call has already: unique by run and call id. */
  insert(draft: TaskDraft): Promise<TaskRow>;
  byCall(runId: string, callId: string): Promise<TaskRow | undefined>;
  /** The tasks of these calls on a thread, oldest first. */
  listByCalls(threadId: string, callIds: readonly string[]): Promise<readonly TaskRow[]>;
  listByRun(runId: string): Promise<readonly TaskRow[]>;
  countLive(runId: string): Promise<number>;
}

export function createTaskLedger(
  collection: Collection<TaskRow>,
  resultCollection: Collection<ResultDocument>,
): TaskLedger {
  const work = createWorkLedger(collection, TASK_TERMINAL_STATUSES);
  const { setApart, wholeResult } = createWholeResults(resultCollection);

  const byCall = async (runId: string, callId: string) =>
    (await storeCall(() => collection.findOne({ run_id: runId, call_id: callId }))) ?? undefined;

  return {
    ...work,
    byCall,
    wholeResult,

    settle: async (fence, settlement) => work.settle(fence, await setApart(fence, settlement)),

    async insert(draft) {
      await insertRow(collection, draft);
      const task = await byCall(draft.run_id, draft.call_id);
      if (task === undefined) throw new AntlerError("task_not_found", `Task of call ${draft.call_id} does not exist`);
      return task;
    },

    listByCalls: (threadId, callIds) =>
      storeCall(() =>
        collection
          .find({ thread_id: threadId, call_id: { $in: [...callIds] } })
          .sort({ created_at: 1 })
          .toArray(),
      ),

    listByRun: (runId) => storeCall(() => collection.find({ run_id: runId }).sort({ created_at: 1, _id: 1 }).toArray()),

    countLive: (runId) =>
      storeCall(() => collection.countDocuments({ run_id: runId, status: { $nin: TASK_TERMINAL_STATUSES } })),
  };
}
