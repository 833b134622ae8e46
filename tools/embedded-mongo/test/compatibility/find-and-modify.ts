import assert from "node:assert/strict";

import type { CheckGroup } from "./check.ts";
import { at } from "./check.ts";

const LEASE_MS = 12_000;

export const FIND_AND_MODIFY: CheckGroup = {
  name: "findAndModify",
  checks: {
    "before and after, sort, projection": async ({ c }) => {
      await c.insertMany([
        { _id: 1, p: 1, s: "q" },
        { _id: 2, p: 9, s: "q" },
      ]);
      const claim = { $set: { s: "r" } };
      const options = { sort: { p: -1 }, returnDocument: "after", projection: { s: 1 } } as const;
      assert.deepEqual(await c.findOneAndUpdate({ s: "q" }, claim, options), { _id: 2, s: "r" });
      assert.deepEqual(await c.findOneAndUpdate({ s: "q" }, claim), { _id: 1, p: 1, s: "q" });
      assert.equal(await c.findOneAndUpdate({ s: "q" }, claim), null);
    },
    "upsert: null before, the document after, result metadata": async ({ c }) => {
      const options = { upsert: true } as const;
      assert.equal(await c.findOneAndUpdate({ _id: "a" }, { $set: { v: 1 }, $setOnInsert: { c: 1 } }, options), null);
      const after = { ...options, returnDocument: "after" } as const;
      assert.deepEqual(await c.findOneAndUpdate({ _id: "b" }, { $inc: { v: 1 } }, after), { _id: "b", v: 1 });
      const metadata = { ...options, includeResultMetadata: true } as const;
      const result = await c.findOneAndUpdate({ _id: "c" }, { $inc: { v: 1 } }, metadata);
      assert.equal(at(result, "lastErrorObject", "upserted"), "c");
      assert.equal(at(result, "lastErrorObject", "updatedExisting"), false);
    },
    "a counter with $inc and upsert": async ({ c }) => {
      const options = { upsert: true, returnDocument: "after" } as const;
      for (const n of [1, 2, 3]) {
        assert.deepEqual(await c.findOneAndUpdate({ _id: "seq" }, { $inc: { n: 1 } }, options), { _id: "seq", n });
      }
    },
    "findOneAndDelete and findOneAndReplace": async ({ c }) => {
      await c.insertMany([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ]);
      assert.deepEqual(await c.findOneAndDelete({ a: 1 }), { _id: 1, a: 1 });
      assert.deepEqual(await c.findOneAndReplace({ _id: 2 }, { b: 1 }, { returnDocument: "after" }), { _id: 2, b: 1 });
      assert.equal(await c.countDocuments(), 1);
    },
    "with arrayFilters": async ({ c }) => {
      await c.insertOne({
        _id: 1,
        s: [
          { id: "a", st: "w" },
          { id: "b", st: "w" },
        ],
      });
      const options = { arrayFilters: [{ "x.id": "b" }], returnDocument: "after" as const };
      const found = await c.findOneAndUpdate({ _id: 1 }, { $set: { "s.$[x].st": "done" } }, options);
      assert.deepEqual(at(found, "s"), [
        { id: "a", st: "w" },
        { id: "b", st: "done" },
      ]);
    },
    "with an update pipeline": async ({ c }) => {
      await c.insertOne({ _id: 1, n: 2 });
      const update = [{ $set: { n: { $multiply: ["$n", 5] } } }];
      assert.equal(at(await c.findOneAndUpdate({ _id: 1 }, update, { returnDocument: "after" }), "n"), 10);
    },
    "a lease by the server's clock: taken when expired, kept while it runs": async ({ c }) => {
      await c.insertOne({ _id: 1, lease: { owner: "a", until: new Date(0) } });
      const isFree = { _id: 1, $expr: { $lt: ["$lease.until", "$$NOW"] } };
      const take = [{ $set: { "lease.until": { $add: ["$$NOW", LEASE_MS] }, "lease.owner": "b" } }];
      const taken = await c.findOneAndUpdate(isFree, take, { returnDocument: "after" });
      assert.equal(at(taken, "lease", "owner"), "b");
      assert.ok(Math.abs(Number(at(taken, "lease", "until")) - LEASE_MS - Date.now()) < 5000);
      assert.equal(await c.findOneAndUpdate(isFree, take, { returnDocument: "before" }), null);
    },
    "a lease that is missing counts as expired": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      const isFree = { _id: 1, $expr: { $lt: ["$lease.until", "$$NOW"] } };
      const before = await c.findOneAndUpdate(isFree, [{ $set: { taken_at: "$$NOW" } }], { returnDocument: "before" });
      assert.deepEqual(before, { _id: 1 });
      assert.ok(at(await c.findOne(), "taken_at") instanceof Date);
    },
  },
};
