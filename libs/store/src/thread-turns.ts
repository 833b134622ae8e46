import type { Collection, Filter } from "mongodb";

import type { RunRow } from "./rows.ts";
import { storeCall } from "./store-call.ts";

/** The runs of one thread, told apart by their turns. */
export interface ThreadTurns {
  listByThread(threadId: string, options: { limit: number; offset: number }): Promise<readonly RunRow[]>;
  /** The newest run before this turn that has checkpoints. */
  runBefore(threadId: string, turn: number): Promise<RunRow | undefined>;
  /** The newest run of the thread that has a checkpoint of its own or began from one. */
  newestHead(threadId: string): Promise<string | null>;
  /** The newest run of the thread that was not rolled back. */
  newestStanding(threadId: string): Promise<RunRow | undefined>;
  /** The run that holds the thread. */
  holderOf(threadId: string): Promise<RunRow | undefined>;
}

export function createThreadTurns(collection: Collection<RunRow>): ThreadTurns {
  const newest = async (filter: Filter<RunRow>): Promise<RunRow | undefined> =>
    (await storeCall(() => collection.findOne(filter, { sort: { turn: -1 } }))) ?? undefined;

  const runBefore = (threadId: string, turn: number): Promise<RunRow | undefined> =>
    newest({ thread_id: threadId, turn: { $lt: turn }, head: { $ne: null } });

  return {
    runBefore,

    listByThread: (threadId, { limit, offset }) =>
      storeCall(() => collection.find({ thread_id: threadId }).sort({ turn: -1 }).skip(offset).limit(limit).toArray()),

    newestHead: async (threadId) => (await runBefore(threadId, Number.MAX_SAFE_INTEGER))?.head ?? null,

    newestStanding: (threadId) => newest({ thread_id: threadId, stop_reason: { $ne: "rolled_back" } }),

    holderOf: async (threadId) => (await storeCall(() => collection.findOne({ lock: threadId }))) ?? undefined,
  };
}
