import type { Collection, Document } from "mongodb";

import { monotonicMs, newId } from "@antler/platform";

import type { LeaseDocument } from "./collections.ts";
import { repeatOnDuplicate, storeCall } from "./store-call.ts";

/** Named leases by the store's clock: at most one holder at a time as long as it renews in time. */
export interface StoreLeases {
  /** True when `holder` now has the lease for `ttlMs`; also when it had it already. */
  acquire(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** False when the lease has expired or is another's; it must then be acquired anew. */
  renew(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Gives the lease back if `holder` has it. */
  release(name: string, holder: string): Promise<void>;
  /**
   * Runs `task` under the lease, renewing it meanwhile; undefined, without running it, while another holds it.
   * The signal aborts when the lease is lost.
   */
  exclusive<T>(name: string, task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

const EXCLUSIVE_TTL_MS = 15_000;

export function createStoreLeases(collection: Collection<LeaseDocument>): StoreLeases {
  const acquire: StoreLeases["acquire"] = async (name, holder, ttlMs) => {
    const take = () => collection.findOneAndUpdate({ _id: name }, takeStages(holder, ttlMs), takeOptions);
    const lease = await storeCall(() => repeatOnDuplicate(take));
    return lease?.holder === holder;
  };
  const renew: StoreLeases["renew"] = async (name, holder, ttlMs) => {
    const held = { _id: name, holder, $expr: { $gt: ["$until", "$$NOW"] } };
    const result = await storeCall(() => collection.updateOne(held, [{ $set: { until: fromNow(ttlMs) } }]));
    return result.matchedCount === 1;
  };
  const release: StoreLeases["release"] = async (name, holder) => {
    await storeCall(() => collection.deleteOne({ _id: name, holder }));
  };
  return {
    acquire,
    renew,
    release,
    async exclusive(name, task) {
      const holder = newId();
      if (!(await acquire(name, holder, EXCLUSIVE_TTL_MS))) return undefined;
      const keeper = keepRenewing(() => renew(name, holder, EXCLUSIVE_TTL_MS));
      try {
        return await task(keeper.signal);
      } finally {
        keeper.stop();
        await release(name, holder);
      }
    },
  };
}

const takeOptions = { upsert: true, returnDocument: "after" } as const;

/** The condition stands in the update, not in the filter: an upsert accepts no `$expr` there. */
function takeStages(holder: string, ttlMs: number): Document[] {
  const mine = { $eq: ["$holder", { $literal: holder }] };
  const over = { $lte: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] };
  const free = { $or: [mine, over] };
  return [
    {
      $set: {
        holder: { $cond: [free, { $literal: holder }, "$holder"] },
        until: { $cond: [free, fromNow(ttlMs), "$until"] },
      },
    },
  ];
}

function fromNow(ttlMs: number): Document {
  return { $add: ["$$NOW", ttlMs] };
}

function keepRenewing(renew: () => Promise<boolean>): { readonly signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  let confirmedAt = monotonicMs();
  const timer = setInterval(() => {
    const askedAt = monotonicMs();
    if (askedAt - confirmedAt > EXCLUSIVE_TTL_MS) lost.abort();
    renew().then(
      (held) => {
        if (held) confirmedAt = askedAt;
        else lost.abort();
      },
      () => undefined,
    );
  }, EXCLUSIVE_TTL_MS / 5);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}
