import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import type { ThreadDraft, ThreadLedger } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let threads: ThreadLedger;

beforeAll(async () => {
  harness = await startStore();
  threads = harness.store.threads;
});
afterAll(() => harness.stop());

const aThread = (given: Partial<ThreadDraft> = {}): ThreadDraft => ({
  _id: newId(),
  tenant_id: "default",
  metadata: { topic: "x" },
  ...given,
});

describe("threads", () => {
  it("are created once", async () => {
    const draft = aThread();
    const row = await threads.create(draft, { ifExists: "raise" });
    expect(row).toMatchObject(draft);
    expect(row.created_at).toBeInstanceOf(Date);
    await expect(threads.create(draft, { ifExists: "raise" })).rejects.toMatchObject({ code: "thread_exists" });
    const changed = { ...draft, metadata: { topic: "y" } };
    expect(await threads.create(changed, { ifExists: "do_nothing" })).toEqual(await threads.get("default", draft._id));
    expect((await threads.get("default", draft._id))?.metadata).toEqual({ topic: "x" });
  });

  it("are seen by their tenant only", async () => {
    const draft = aThread({ tenant_id: "one" });
    await threads.create(draft, { ifExists: "raise" });
    const foreign = { ...draft, tenant_id: "two" };
    expect(await threads.get("two", draft._id)).toBeUndefined();
    await expect(threads.create(foreign, { ifExists: "do_nothing" })).rejects.toMatchObject({ code: "thread_exists" });
    await expect(threads.ensure(foreign)).rejects.toMatchObject({ code: "thread_not_found" });
    expect(await threads.delete("two", draft._id)).toBe(false);
    expect(await threads.list("two", { limit: 10, offset: 0 })).toEqual([]);
  });

  it("are the same for all who ensure one at once", async () => {
    const draft = aThread();
    const rows = await Promise.all(Array.from({ length: 10 }, () => threads.ensure(draft)));
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
  });

  it("are listed newest first and can be deleted", async () => {
    const tenant = newId();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { _id } = await threads.create(aThread({ tenant_id: tenant }), { ifExists: "raise" });
      await harness.collections.threads.updateOne({ _id }, { $set: { updated_at: new Date(n) } });
      ids.unshift(_id);
    }
    const listed = async () => (await threads.list(tenant, { limit: 2, offset: 1 })).map(({ _id }) => _id);
    expect(await listed()).toEqual(ids.slice(1));
    expect(await threads.delete(tenant, ids[1]!)).toBe(true);
    expect(await listed()).toEqual(ids.slice(2));
  });
});
