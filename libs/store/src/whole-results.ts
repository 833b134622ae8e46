import type { Collection } from "mongodb";

import { AntlerError, headOf } from "@antler/contracts";

import type { ResultDocument } from "./collections.ts";
import type { TaskRow } from "./rows.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";
import type { Fence, Settlement } from "./work-ledger.ts";

/** Longest result that stands whole in its row, in bytes of UTF-8. */
const INLINE_RESULT_MAX_BYTES = 256 * 1024;

/** What stays in the row of a longer one, in characters. */
const RESULT_HEAD_CHARS = 64 * 1024;

/** Results that are too long for the row of their task, so that no list of tasks grows with them. */
export interface WholeResults {
  /**
   * The settlement as it fits into the row: a long result is stored apart first, under the claim that brings it.
   * Repeatable; throws `document_too_large` for a result near MongoDB's 16 MB.
   */
  setApart(fence: Fence, settlement: Settlement): Promise<Settlement>;
  /** The whole result of a task; null when it has none. */
  wholeResult(task: TaskRow): Promise<string | null>;
}

export function createWholeResults(collection: Collection<ResultDocument>): WholeResults {
  return {
    async setApart({ id, epoch }, settlement) {
      const { result } = settlement.fields;
      const bytes = typeof result === "string" ? Buffer.byteLength(result) : 0;
      if (typeof result !== "string" || bytes <= INLINE_RESULT_MAX_BYTES) return settlement;
      await insertOnce(collection, { _id: keyOf(id, epoch), task_id: id, text: result });
      const fields = { ...settlement.fields, result: headOf(result, RESULT_HEAD_CHARS), result_bytes: bytes };
      return { ...settlement, fields };
    },

    async wholeResult({ _id, epoch, result, result_bytes: bytes }) {
      if (result === null || bytes === undefined) return result;
      const found = await storeCall(() => collection.findOne({ _id: keyOf(_id, epoch) }));
      if (found === null) throw new AntlerError("internal", `The result of task ${_id} is not in the store`);
      return found.text;
    },
  };
}

function keyOf(taskId: string, epoch: number): string {
  return `${taskId}:${epoch}`;
}

async function insertOnce(collection: Collection<ResultDocument>, document: ResultDocument): Promise<void> {
  try {
    await storeCall(() => collection.insertOne(document));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
