import type { Collection, Filter } from "mongodb";

import type { DeadLetterDocument } from "./collections.ts";
import type { DeadLetterRow } from "./rows.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";
import { literal, NOW } from "./work-predicates.ts";

/** A dead letter before it has its date. */
export type DeadLetterDraft = Omit<DeadLetterRow, "created_at" | "retried">;

/** A letter's place in the order of the list. */
export type DeadLetterPlace = Pick<DeadLetterRow, "_id" | "created_at">;

export interface ListDeadLetters {
  readonly limit: number;
  /** Whose letters; null stands for those that belong to no tenant. All when absent. */
  readonly owners?: readonly (string | null)[];
  /** Begins behind this letter, which may be gone. */
  readonly after?: DeadLetterPlace;
}

/** Messages that no worker could use, each kept until somebody discards it. */
export interface DeadLetterLedger {
  /** Repeatable: the first record under an id stays. */
  record(draft: DeadLetterDraft): Promise<void>;
  /** Newest first. Removes nothing. */
  list(options: ListDeadLetters): Promise<readonly DeadLetterRow[]>;
  get(id: string): Promise<DeadLetterRow | undefined>;
  /** Notes the run that took up what the letter's run should have done; the first note stays. */
  markRetried(id: string, runId: string): Promise<void>;
  /** True when there was one. */
  discard(id: string): Promise<boolean>;
  /** How many letters of a stream nobody has retried or discarded. */
  countOpen(stream: string): Promise<number>;
}

export function createDeadLetterLedger(collection: Collection<DeadLetterDocument>): DeadLetterLedger {
  return {
    async record({ _id, headers, ...fields }) {
      const given = { ...fields, headers: JSON.stringify(headers), retried: null };
      const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, literal(value)]));
      const absent = { _id, created_at: { $exists: false } } as Filter<DeadLetterDocument>;
      const stages = [{ $set: { ...values, created_at: NOW } }];
      try {
        await storeCall(() => collection.updateOne(absent, stages, { upsert: true }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },

    async list({ limit, owners, after }) {
      const filter = { ...(owners !== undefined && { tenant_id: { $in: [...owners] } }), ...behind(after) };
      const sort = { created_at: -1, _id: -1 } as const;
      return (await storeCall(() => collection.find(filter).sort(sort).limit(limit).toArray())).map(rowOf);
    },

    async get(id) {
      const found = await storeCall(() => collection.findOne({ _id: id }));
      return found === null ? undefined : rowOf(found);
    },

    async markRetried(id, runId) {
      const stages = [{ $set: { retried: { run_id: literal(runId), at: NOW } } }];
      await storeCall(() => collection.updateOne({ _id: id, retried: null }, stages));
    },

    async discard(id) {
      const result = await storeCall(() => collection.deleteOne({ _id: id }));
      return result.deletedCount === 1;
    },

    countOpen: (stream) => storeCall(() => collection.countDocuments({ stream, retried: null })),
  };
}

function behind(after: DeadLetterPlace | undefined): Filter<DeadLetterDocument> {
  if (after === undefined) return {};
  const { created_at, _id } = after;
  return { $or: [{ created_at: { $lt: created_at } }, { created_at, _id: { $lt: _id } }] };
}

function rowOf({ headers, ...row }: DeadLetterDocument): DeadLetterRow {
  return { ...row, headers: JSON.parse(headers) as DeadLetterRow["headers"] };
}
