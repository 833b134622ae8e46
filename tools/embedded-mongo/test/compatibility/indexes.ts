import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at, ids } from "./check.ts";

const HOUR_MS = 3_600_000;
const TTL_DEADLINE_MS = 75_000;

export const INDEXES: CheckGroup = {
  name: "index",
  checks: {
    "unique index: 11000 on insert with keyPattern and keyValue": async ({ c }) => {
      await c.createIndex({ email: 1 }, { unique: true });
      await c.insertOne({ email: "a" });
      const error = await assertRefused(11000, () => c.insertOne({ email: "a" }));
      assert.deepEqual([at(error, "keyPattern"), at(error, "keyValue")], [{ email: 1 }, { email: "a" }]);
    },
    "unique index: 11000 on update, replace and findOneAndUpdate": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true });
      await c.insertMany([
        { _id: 1, k: 1 },
        { _id: 2, k: 2 },
      ]);
      await assertRefused(11000, () => c.updateOne({ _id: 2 }, { $set: { k: 1 } }));
      await assertRefused(11000, () => c.replaceOne({ _id: 2 }, { k: 1 }));
      await assertRefused(11000, () => c.findOneAndUpdate({ _id: 2 }, { $set: { k: 1 } }));
      assert.equal(at(await c.findOne({ _id: 2 }), "k"), 2);
    },
    "unique index: a missing field counts as null": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true });
      await c.insertOne({ a: 1 });
      await assertRefused(11000, () => c.insertOne({ a: 2 }));
    },
    "unique sparse index allows many missing": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true, sparse: true });
      await c.insertMany([{ a: 1 }, { a: 2 }, { k: 1 }]);
      await assertRefused(11000, () => c.insertOne({ k: 1 }));
      assert.equal(await c.countDocuments({ k: null }), 2);
      assert.equal((await c.find().sort({ k: 1 }).toArray()).length, 3);
    },
    "compound unique index": async ({ c }) => {
      await c.createIndex({ a: 1, b: -1 }, { unique: true });
      await c.insertMany([
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ]);
      await assertRefused(11000, () => c.insertOne({ a: 1, b: 2 }));
    },
    "partial unique index": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true, partialFilterExpression: { active: true } });
      await c.insertMany([false, false, true].map((active) => ({ k: 1, active })));
      await assertRefused(11000, () => c.insertOne({ k: 1, active: true }));
      const { insertedId } = await c.insertOne({ k: 1, active: false });
      await assertRefused(11000, () => c.updateOne({ _id: insertedId }, { $set: { active: true } }));
      assert.equal(await c.countDocuments({ k: 1 }), 4);
    },
    "unique multikey index": async ({ c }) => {
      await c.createIndex({ tags: 1 }, { unique: true });
      await c.insertOne({ tags: ["a", "b", "a"] });
      await assertRefused(11000, () => c.insertOne({ tags: ["b", "c"] }));
    },
    "compound multikey index pairs the fields of one element": async ({ c }) => {
      await c.createIndex({ "s.k": 1, "s.v": 1 }, { unique: true });
      await c.insertOne({
        _id: 1,
        s: [
          { k: 1, v: 1 },
          { k: 2, v: 2 },
        ],
      });
      await c.insertOne({ _id: 2, s: [{ k: 1, v: 2 }] });
      await assertRefused(11000, () => c.insertOne({ _id: 3, s: [{ k: 2, v: 2 }] }));
    },
    "two arrays in one compound index are refused with 171": async ({ c }) => {
      await c.createIndex({ a: 1, b: 1 });
      await assertRefused(171, () => c.insertOne({ a: [1], b: [2] }));
    },
    "a unique index over duplicates is refused with 11000": async ({ c }) => {
      await c.insertMany([{ k: 1 }, { k: 1 }]);
      await assertRefused(11000, () => c.createIndex({ k: 1 }, { unique: true }));
    },
    "listIndexes shows names, unique, partial, TTL": async ({ c }) => {
      await c.createIndexes([
        { key: { a: 1 }, name: "ua", unique: true },
        { key: { b: 1, c: -1 } },
        { key: { t: 1 }, expireAfterSeconds: 60 },
        { key: { p: 1 }, partialFilterExpression: { p: { $exists: true } } },
      ]);
      const byName = new Map((await c.indexes()).map((index) => [index.name, index]));
      assert.equal(byName.size, 5);
      assert.equal(byName.get("ua")?.unique, true);
      assert.ok(byName.has("b_1_c_-1"));
      assert.equal(byName.get("t_1")?.expireAfterSeconds, 60);
      assert.deepEqual(byName.get("p_1")?.partialFilterExpression, { p: { $exists: true } });
    },
    "createIndex twice is one index, other options are refused with 85 or 86": async ({ c }) => {
      await c.createIndex({ a: 1 });
      await c.createIndex({ a: 1 });
      assert.equal((await c.indexes()).length, 2);
      await assertRefused([85, 86], () => c.createIndex({ a: 1 }, { unique: true }));
    },
    "dropIndex, and an unknown index is refused with 27": async ({ c }) => {
      await c.createIndex({ a: 1 }, { name: "x" });
      await c.dropIndex("x");
      assert.equal((await c.indexes()).length, 1);
      await assertRefused(27, () => c.dropIndex("nope"));
    },
    "TTL index removes expired documents": async ({ c }) => {
      await c.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
      const now = Date.now();
      await c.insertMany([
        { _id: "old", at: new Date(now - HOUR_MS) },
        { _id: "new", at: new Date(now + HOUR_MS) },
        { _id: "no" },
      ]);
      while (Date.now() - now < TTL_DEADLINE_MS && (await c.countDocuments()) > 2) await wait(500);
      assert.deepEqual(ids(await c.find().sort({ _id: 1 }).toArray()), ["new", "no"]);
    },
    "hint by name, and an unknown hint is refused with 2": async ({ c }) => {
      await c.createIndex({ a: 1 }, { name: "ax" });
      await c.insertOne({ a: 1 });
      assert.equal((await c.find({ a: 1 }).hint("ax").toArray()).length, 1);
      await assertRefused(2, () => c.find({ a: 1 }).hint("nope").toArray());
    },
    "explain says SORT only for an order that no index has": async ({ c }) => {
      await c.createIndex({ a: 1, b: 1 });
      await c.insertMany([
        { a: 1, b: 2 },
        { a: 1, b: 1 },
      ]);
      const stages = async (sort: Record<string, 1 | -1>) =>
        JSON.stringify(await c.find({ a: 1 }).sort(sort).explain());
      assert.doesNotMatch(await stages({ b: -1 }), /"SORT"/);
      assert.match(await stages({ c: 1 }), /"SORT"/);
    },
    "explain says IXSCAN for an indexed filter": async ({ c }) => {
      await c.createIndex({ a: 1 });
      await c.insertMany([{ a: 1 }, { a: 2 }]);
      assert.match(JSON.stringify(await c.find({ a: 1 }).explain()), /IXSCAN/);
    },
    "an index gives the same answers as a scan": async ({ c }) => {
      const values = [1, 2, 3, null, undefined, "x", [1, 5], [], { n: 1 }, new Date(5), true];
      await c.insertMany(values.map((v, _id) => ({ _id, ...(v === undefined ? {} : { v }), g: _id % 2 })));
      const filters = [
        { v: 1 },
        { v: null },
        { v: { $gt: 1 } },
        { v: { $lte: 3 } },
        { v: { $in: [5, "x", null] } },
        { g: 1, v: { $gte: 1 } },
      ];
      const answers = (): Promise<unknown[][]> =>
        Promise.all(filters.map(async (filter) => ids(await c.find(filter).sort({ _id: 1 }).toArray())));
      const scanned = await answers();
      await c.createIndexes([{ key: { v: 1 } }, { key: { g: 1, v: -1 } }]);
      assert.deepEqual(await answers(), scanned);
    },
    "ranges and sorts on _id": async ({ c }) => {
      await c.insertMany([5, 3, 9, 1, 7].map((_id) => ({ _id })));
      assert.deepEqual(
        ids(
          await c
            .find({ _id: { $gt: 3 } })
            .sort({ _id: -1 })
            .limit(2)
            .toArray(),
        ),
        [9, 7],
      );
      await c.deleteOne({ _id: 9 });
      assert.deepEqual(
        ids(
          await c
            .find({ _id: { $gte: 3 } })
            .sort({ _id: 1 })
            .toArray(),
        ),
        [3, 5, 7],
      );
    },
    "$or over indexed fields": async ({ c }) => {
      await c.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }]);
      await c.insertMany([
        { _id: 1, a: 1, b: 1 },
        { _id: 2, a: 2, b: 1 },
        { _id: 3, a: 2, b: 2 },
      ]);
      assert.deepEqual(
        ids(
          await c
            .find({ $or: [{ a: 1 }, { b: 1 }] })
            .sort({ _id: 1 })
            .toArray(),
        ),
        [1, 2],
      );
    },
  },
};
