import type { Collection } from "mongodb";

import { AntlerError } from "@antler/contracts";

import type { ThreadRow } from "./rows.ts";
import { isDuplicateKey, storeCall } from "./store-call.ts";
import { literal, NOW } from "./work-predicates.ts";

/** A thread before it has its dates. */
export type ThreadDraft = Pick<ThreadRow, "_id" | "tenant_id" | "metadata">;

/** The threads. An id is taken for all tenants, and each tenant sees its own only. */
export interface ThreadLedger {
  /** Throws `thread_exists` when the id is taken; with `do_nothing` only when it is another tenant's. */
  create(draft: ThreadDraft, options: { readonly ifExists: "raise" | "do_nothing" }): Promise<ThreadRow>;
  /** Undefined when there is none or when it is another tenant's. */
  get(tenantId: string, id: string): Promise<ThreadRow | undefined>;
  /** The thread, created if need be. Throws `thread_not_found` when the id is another tenant's. */
  ensure(draft: ThreadDraft): Promise<ThreadRow>;
  /** The tenant's threads, newest first. */
  list(tenantId: string, options: { readonly limit: number; readonly offset: number }): Promise<readonly ThreadRow[]>;
  /** Adds the given keys, replacing those of the same name; undefined when there is no such thread. */
  mergeMetadata(tenantId: string, id: string, metadata: ThreadRow["metadata"]): Promise<ThreadRow | undefined>;
  /** True when there was one. */
  delete(tenantId: string, id: string): Promise<boolean>;
}

export function createThreadLedger(collection: Collection<ThreadRow>): ThreadLedger {
  const get: ThreadLedger["get"] = async (tenantId, id) =>
    (await storeCall(() => collection.findOne({ _id: id, tenant_id: tenantId }))) ?? undefined;

  const insert = async (draft: ThreadDraft): Promise<ThreadRow | undefined> => {
    const now = new Date();
    const row: ThreadRow = { ...draft, created_at: now, updated_at: now };
    try {
      await storeCall(() => collection.insertOne(row));
      return row;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
  };

  return {
    get,
    async create(draft, { ifExists }) {
      const row = (await insert(draft)) ?? (ifExists === "raise" ? undefined : await get(draft.tenant_id, draft._id));
      if (row === undefined) throw taken(draft._id);
      return row;
    },
    async ensure(draft) {
      const { _id, tenant_id } = draft;
      const row = (await get(tenant_id, _id)) ?? (await insert(draft)) ?? (await get(tenant_id, _id));
      if (row === undefined)
        throw new AntlerError("thread_not_found", `Thread ${_id} does not exist: choose another id`);
      return row;
    },
    list: (tenantId, { limit, offset }) =>
      storeCall(() =>
        collection.find({ tenant_id: tenantId }).sort({ updated_at: -1 }).skip(offset).limit(limit).toArray(),
      ),
    async mergeMetadata(tenantId, id, metadata) {
      const merged = { metadata: { $mergeObjects: ["$metadata", literal(metadata)] }, updated_at: NOW };
      const update = () =>
        collection.findOneAndUpdate({ _id: id, tenant_id: tenantId }, [{ $set: merged }], { returnDocument: "after" });
      return (await storeCall(update)) ?? undefined;
    },
    async delete(tenantId, id) {
      const result = await storeCall(() => collection.deleteOne({ _id: id, tenant_id: tenantId }));
      return result.deletedCount === 1;
    },
  };
}

function taken(id: string): AntlerError {
  return new AntlerError(
    "thread_exists",
    `Thread ${id} exists already: choose another id, or send if_exists: do_nothing`,
  );
}
