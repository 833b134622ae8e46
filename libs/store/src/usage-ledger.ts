import type { Collection, Document } from "mongodb";

import type { TokenUsage, UsageRecord } from "@antler/contracts";

import type { UsageDocument } from "./collections.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";

/** What one caller used. */
export interface CallerUsage extends TokenUsage {
  readonly caller: string;
  readonly model_name: string | null;
  /** Number of model calls. */
  readonly calls: number;
}

/** Which calls are counted: all of a run, or those of one of its tasks. */
export interface UsageScope {
  readonly runId: string;
  readonly taskId?: string;
}

/** Token usage, one document a model call. Totals are always computed from the documents. */
export interface UsageLedger {
  /** Repeatable: a record whose key is stored already is left as it is. */
  record(records: readonly UsageRecord[]): Promise<void>;
  /** Null while no call has reported usage. */
  totals(scope: UsageScope): Promise<TokenUsage | null>;
  /** Sums for each caller and model, in the order of the callers' names. */
  byCaller(runId: string): Promise<readonly CallerUsage[]>;
  /** Each call's record, in the order of the keys. */
  list(runId: string): Promise<readonly UsageRecord[]>;
  deleteRun(runId: string): Promise<void>;
}

const SUMS = {
  calls: { $sum: 1 },
  input_tokens: { $sum: "$input_tokens" },
  output_tokens: { $sum: "$output_tokens" },
  total_tokens: { $sum: "$total_tokens" },
  cache_read_tokens: { $sum: "$cache_read_tokens" },
} as const;

type Tokens = Record<keyof TokenUsage, number>;

interface Sums<Group> extends Tokens {
  readonly _id: Group;
  readonly calls: number;
}

export function createUsageLedger(collection: Collection<UsageDocument>): UsageLedger {
  const sum = <Group>(match: Document, group: unknown): Promise<Sums<Group>[]> =>
    storeCall(() =>
      collection.aggregate<Sums<Group>>([{ $match: match }, { $group: { _id: group, ...SUMS } }]).toArray(),
    );
  return {
    async record(records) {
      if (records.length === 0) return;
      const documents = records.map(toDocument);
      await storeCall(() => insertMissing(() => collection.insertMany(documents, { ordered: false })));
    },
    async totals({ runId, taskId }) {
      const match = { run_id: runId, ...(taskId !== undefined && { task_id: taskId }) };
      const [sums] = await sum<null>(match, null);
      return sums === undefined ? null : tokensOf(sums);
    },
    async byCaller(runId) {
      const group = { caller: "$caller", model_name: "$model_name" };
      const rows = await sum<{ caller: string; model_name: string | null }>({ run_id: runId }, group);
      return rows.map(({ _id, ...sums }) => ({ ..._id, calls: sums.calls, ...tokensOf(sums) })).sort(byCallerName);
    },
    async list(runId) {
      const documents = await storeCall(() => collection.find({ run_id: runId }).sort({ _id: 1 }).toArray());
      return documents.map(toRecord);
    },
    async deleteRun(runId) {
      await storeCall(() => collection.deleteMany({ run_id: runId }));
    },
  };
}

function toDocument({ key, ...record }: UsageRecord): UsageDocument {
  return { _id: key, ...record, created_at: new Date() };
}

function toRecord(document: UsageDocument): UsageRecord {
  const { _id: key, run_id, task_id, caller, model_name, response_id } = document;
  return {
    key,
    run_id,
    ...(task_id !== undefined && { task_id }),
    caller,
    model_name,
    ...(response_id !== undefined && { response_id }),
    input_tokens: document.input_tokens,
    output_tokens: document.output_tokens,
    total_tokens: document.total_tokens,
    ...(document.cache_read_tokens !== undefined && { cache_read_tokens: document.cache_read_tokens }),
  };
}

/** Unordered: the server writes the others past each duplicate. */
async function insertMissing(insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

function tokensOf(sums: Tokens): TokenUsage {
  const { input_tokens, output_tokens, total_tokens, cache_read_tokens } = sums;
  return { input_tokens, output_tokens, total_tokens, ...(cache_read_tokens > 0 && { cache_read_tokens }) };
}

function byCallerName(a: CallerUsage, b: CallerUsage): number {
  return a.caller.localeCompare(b.caller) || (a.model_name ?? "").localeCompare(b.model_name ?? "");
}
