import type { Collection } from "mongodb";

import { AntlerError, RUN_TERMINAL_STATUSES } from "@antler/contracts";

import { insertRow, type NewRow, type RowDates } from "./insert-row.ts";
import type { RunRow } from "./rows.ts";
import { storeCall } from "./store-call.ts";
import { createThreadTurns, type ThreadTurns } from "./thread-turns.ts";
import { createWorkLedger, type Fence, type WorkLedger } from "./work-ledger.ts";

/** A run row before it has its place on the thread and its dates. */
export type RunDraft = Omit<RunRow, "turn" | RowDates> & NewRow;

export type RunInsertion =
  | { readonly kind: "inserted"; readonly run: RunRow }
  | { readonly kind: "thread_busy" }
  | { readonly kind: "replayed"; readonly run: RunRow };

export type Admission = "admitted" | "total_reached" | "cancelled" | "not_held";

export interface RunLedger extends WorkLedger<RunRow>, ThreadTurns {
  /** Inserts with the next turn of the thread. A run that brings a lock is refused while another holds it. */
  insert(draft: RunDraft): Promise<RunInsertion>;
  /** Admits a task call under the run's claim, once per call id, while the total is not reached. */
  admit(fence: Fence, callId: string, maxTotal: number): Promise<Admission>;
  /** Sets the checkpoint from which the run starts: the head of the turn before. Idempotent. */
  chooseBase(fence: Fence): Promise<string | null>;
  /** The run that was created under this key. */
  byIdempotency(key: string): Promise<RunRow | undefined>;
}

export function createRunLedger(collection: Collection<RunRow>): RunLedger {
  const work = createWorkLedger(collection, RUN_TERMINAL_STATUSES);
  const turns = createThreadTurns(collection);
  const held = ({ id, epoch, claimId }: Fence) => ({ _id: id, epoch, "claim.id": claimId, status: "running" as const });

  const expectRow = async (id: string): Promise<RunRow> => {
    const run = await work.get(id);
    if (run === undefined) throw new AntlerError("run_not_found", `Run ${id} does not exist`);
    return run;
  };

  const byIdempotency = async (key: string): Promise<RunRow | undefined> =>
    (await storeCall(() => collection.findOne({ idempotency: key }))) ?? undefined;

  const firstWithKey = async ({ _id, idempotency = "" }: RunDraft): Promise<RunRow> =>
    (await byIdempotency(idempotency)) ?? (await expectRow(_id));

  const nextTurn = async (threadId: string): Promise<number> => {
    const options = { sort: { turn: -1 }, projection: { turn: 1 } } as const;
    return ((await storeCall(() => collection.findOne({ thread_id: threadId }, options)))?.turn ?? 0) + 1;
  };

  return {
    ...work,
    ...turns,

    async insert(draft) {
      for (;;) {
        const refusedBy = await insertRow(collection, { ...draft, turn: await nextTurn(draft.thread_id) } as NewRow);
        if (refusedBy === undefined) return { kind: "inserted", run: await expectRow(draft._id) };
        if (refusedBy.includes("lock")) return { kind: "thread_busy" };
        if (refusedBy.includes("idempotency")) return { kind: "replayed", run: await firstWithKey(draft) };
        if (!refusedBy.includes("turn"))
          throw new AntlerError("internal", `Run is refused by index ${refusedBy.join()}`);
      }
    },

    async admit(fence, callId, maxTotal) {
      const room = { $or: [{ calls: callId }, { [`calls.${maxTotal - 1}`]: { $exists: false } }] };
      const filter = { ...held(fence), cancel: null, ...room };
      const result = await storeCall(() => collection.updateOne(filter, { $addToSet: { calls: callId } }));
      if (result.matchedCount === 1) return "admitted";
      const stillHeld = await storeCall(() => collection.findOne(held(fence), { projection: { cancel: 1 } }));
      if (stillHeld === null) return "not_held";
      return stillHeld.cancel === null ? "total_reached" : "cancelled";
    },

    async chooseBase(fence) {
      const run = await expectRow(fence.id);
      if (run.base !== null || run.head !== null) return run.base;
      const base = (await turns.runBefore(run.thread_id, run.turn))?.head ?? null;
      if (base !== null)
        await storeCall(() => collection.updateOne({ ...held(fence), head: null }, { $set: { base } }));
      return base;
    },

    byIdempotency,
  };
}
