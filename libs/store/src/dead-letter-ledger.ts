import type { Collection } from "mongodb";

import type { DeadLetterRow } from "./rows.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";

/** A dead letter before it has its date. */
type DeadLetterDraft = Omit<DeadLetterRow, "created_at">;

/** Messages that no worker could use, each kept until somebody discards it. */
export interface DeadLetterLedger {
  /** Repeatable: the first record under an id stays. */
  record(draft: DeadLetterDraft): Promise<void>;
  /** Oldest first. */
  list(options: { readonly limit: number; readonly offset: number }): Promise<readonly DeadLetterRow[]>;
  get(id: string): Promise<DeadLetterRow | undefined>;
  /** True when there was one. */
  discard(id: string): Promise<boolean>;
}

export function createDeadLetterLedger(collection: Collection<DeadLetterRow>): DeadLetterLedger {
  return {
    async record(draft) {
      try {
        await storeCall(() => collection.insertOne({ ...draft, created_at: new Date() }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    list: ({ limit, offset }) =>
      storeCall(() => collection.find({}).sort({ created_at: 1, _id: 1 }).skip(offset).limit(limit).toArray()),
    get: async (id) => (await storeCall(() => collection.findOne({ _id: id }))) ?? undefined,
    async discard(id) {
      const result = await storeCall(() => collection.deleteOne({ _id: id }));
      return result.deletedCount === 1;
    },
  };
}
