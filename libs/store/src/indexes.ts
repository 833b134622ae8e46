import { type Collection, type IndexDescription, MongoServerError } from "mongodb";

import { isAntlerError } from "@antler/contracts";
import { delay, monotonicMs } from "@antler/platform";

import type { Collections } from "./collections.ts";
import { storeErrorOf } from "./store-call.ts";

const unique = { unique: true } as const;
const sparse = { sparse: true } as const;

/** The indexes of every collection. A new one is added here; none is ever changed in place. */
const INDEXES: Readonly<Record<keyof Collections, readonly IndexDescription[]>> = {
  runs: [
    { key: { lock: 1 }, ...unique, ...sparse },
    { key: { thread_id: 1, turn: -1 }, ...unique },
    { key: { idempotency: 1 }, ...unique, ...sparse },
    { key: { tenant_id: 1, status: 1 } },
    { key: { status: 1, updated_at: 1 } },
    { key: { owed_at: 1 }, ...sparse },
    { key: { lease_until: 1 } },
  ],
  tasks: [
    { key: { run_id: 1, call_id: 1 }, ...unique },
    { key: { run_id: 1, created_at: 1, _id: 1 } },
    { key: { thread_id: 1, created_at: 1 } },
    { key: { status: 1, updated_at: 1 } },
    { key: { owed_at: 1 }, ...sparse },
    { key: { lease_until: 1 } },
  ],
  events: [
    { key: { run_id: 1, seq: 1 }, ...unique },
    { key: { run_id: 1, key: 1 }, ...unique },
  ],
  results: [{ key: { task_id: 1 } }],
  usage: [{ key: { run_id: 1, _id: 1 } }],
  threads: [{ key: { tenant_id: 1, updated_at: -1 } }],
  leases: [],
  deadLetters: [
    { key: { created_at: -1, _id: -1 } },
    { key: { tenant_id: 1, created_at: -1, _id: -1 } },
    { key: { stream: 1, retried: 1 } },
  ],
  checkpoints: [
    { key: { thread_id: 1, checkpoint_ns: 1, checkpoint_id: 1 }, ...unique },
    { key: { run_id: 1 }, ...sparse },
  ],
  checkpointWrites: [
    { key: { thread_id: 1, checkpoint_ns: 1, checkpoint_id: 1, task_id: 1, idx: 1 }, ...unique },
    { key: { run_id: 1 }, ...sparse },
  ],
};

/** A server goes on building an index whose asker has given up; asking again then waits for it. */
const MIGRATION_DEADLINE_MS = 60_000;

/** What the server answers while another process creates the same collection or index. */
const CONFLICT_CODES: ReadonlySet<number> = new Set([48, 112, 117, 246, 276, 11601]);

/** Creates what is missing, also while other processes do the same. Throws when existing documents break an index. */
export async function createIndexes(collections: Collections): Promise<void> {
  const deadline = monotonicMs() + MIGRATION_DEADLINE_MS;
  for (const [name, indexes] of Object.entries(INDEXES)) {
    const collection = collections[name as keyof Collections] as unknown as Collection;
    if (indexes.length > 0) await createRepeatedly(collection, indexes, deadline);
  }
}

async function createRepeatedly(
  collection: Collection,
  indexes: readonly IndexDescription[],
  deadline: number,
): Promise<void> {
  for (;;) {
    try {
      await collection.createIndexes([...indexes]);
      return;
    } catch (error) {
      if (!mayPass(error) || monotonicMs() > deadline) throw storeErrorOf(error);
      await delay(50 + Math.random() * 200);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (isAntlerError(storeErrorOf(error), "store_unavailable")) return true;
  return error instanceof MongoServerError && CONFLICT_CODES.has(Number(error.code));
}
