import assert from "node:assert/strict";

import { Int32 } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at } from "./check.ts";

export const UPDATES: CheckGroup = {
  name: "update",
  checks: {
    "$set, $unset, $inc, $mul, $rename and the counts": async ({ c }) => {
      await c.insertOne({ _id: 1, a: 1, b: 2, o: { x: 1 } });
      const result = await c.updateOne(
        { _id: 1 },
        {
          $set: { "o.y": 2, s: "s" },
          $unset: { b: "" },
          $inc: { a: 5, nw: 1 },
          $mul: { "o.x": 10 },
          $rename: { zz: "yy" },
        },
      );
      assert.deepEqual([result.matchedCount, result.modifiedCount], [1, 1]);
      assert.deepEqual(await c.findOne(), { _id: 1, a: 6, o: { x: 10, y: 2 }, nw: 1, s: "s" });
    },
    "an update that changes nothing matches 1 and modifies 0": async ({ c }) => {
      await c.insertOne({ _id: 1, a: 1 });
      const result = await c.updateOne({ _id: 1 }, { $set: { a: 1 } });
      assert.deepEqual([result.matchedCount, result.modifiedCount], [1, 0]);
    },
    "$rename moves a value, also a nested one": async ({ c }) => {
      await c.insertOne({ _id: 1, a: { b: 1 }, c: 2 });
      await c.updateOne({ _id: 1 }, { $rename: { "a.b": "d.e", c: "f" } });
      assert.deepEqual(await c.findOne(), { _id: 1, a: {}, d: { e: 1 }, f: 2 });
    },
    "$max and $min, also of dates": async ({ c }) => {
      await c.insertOne({ _id: 1, hi: 5, lo: 5, d: new Date(1000) });
      await c.updateOne({ _id: 1 }, { $max: { hi: 9, d: new Date(2000) }, $min: { lo: 1 } });
      await c.updateOne({ _id: 1 }, { $max: { hi: 3, d: new Date(1500) }, $min: { lo: 7 } });
      assert.deepEqual(await c.findOne(), { _id: 1, hi: 9, lo: 1, d: new Date(2000) });
    },
    "$currentDate is the server's time": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      await c.updateOne({ _id: 1 }, { $currentDate: { at: true, b: { $type: "date" } } } as object);
      const found = await c.findOne();
      for (const name of ["at", "b"]) assert.ok(Math.abs(Number(at(found, name)) - Date.now()) < 5000);
    },
    "$setOnInsert on an upsert only": async ({ c }) => {
      const update = (created: number): object => ({ $setOnInsert: { created }, $set: { v: 1 }, $inc: { n: 1 } });
      const result = await c.updateOne({ _id: "k", tenant: "t" }, update(1), { upsert: true });
      assert.deepEqual([result.upsertedId, result.upsertedCount], ["k", 1]);
      await c.updateOne({ _id: "k" }, update(2), { upsert: true });
      assert.deepEqual(await c.findOne(), { _id: "k", tenant: "t", created: 1, v: 1, n: 2 });
    },
    "an upsert takes the equalities of the filter": async ({ c }) => {
      const filter = { $and: [{ a: 1 }, { b: { $eq: 2 } }], "o.p": 3, q: { $gt: 5 } };
      await c.updateOne(filter, { $set: { z: 1 } }, { upsert: true });
      assert.deepEqual(await c.findOne({}, { projection: { _id: 0 } }), { a: 1, b: 2, o: { p: 3 }, z: 1 });
    },
    "an upsert against a unique key of another document is refused with 11000": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true });
      await c.insertOne({ k: 1, v: 1 });
      await assertRefused(11000, () => c.updateOne({ k: 1, v: 99 }, { $set: { z: 1 } }, { upsert: true }));
    },
    "updateMany counts": async ({ c }) => {
      await c.insertMany([{ g: 1 }, { g: 1 }, { g: 2 }]);
      const result = await c.updateMany({ g: 1 }, { $set: { x: 1 } });
      assert.deepEqual([result.matchedCount, result.modifiedCount], [2, 2]);
    },
    "replaceOne keeps _id, and upserts": async ({ c }) => {
      await c.insertOne({ _id: 1, a: 1 });
      await c.replaceOne({ _id: 1 }, { b: 2 });
      assert.deepEqual(await c.findOne(), { _id: 1, b: 2 });
      const result = await c.replaceOne({ _id: 9 }, { z: 1 }, { upsert: true });
      assert.equal(result.upsertedId, 9);
    },
    "_id cannot be changed (66)": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      await assertRefused(66, () => c.updateOne({ _id: 1 }, { $set: { _id: 2 } }));
    },
    "conflicting paths are refused with 40, $inc of a text with 14": async ({ c }) => {
      await c.insertOne({ _id: 1, s: "x" });
      await assertRefused(40, () => c.updateOne({ _id: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }));
      await assertRefused(40, () => c.updateOne({ _id: 1 }, { $set: { a: 1, "a.b": 1 } }));
      await assertRefused(14, () => c.updateOne({ _id: 1 }, { $inc: { s: 1 } }));
      assert.deepEqual(await c.findOne(), { _id: 1, s: "x" });
    },
    "a field below a scalar is refused with 28": async ({ c }) => {
      await c.insertOne({ _id: 1, s: "x", n: null });
      await assertRefused(28, () => c.updateOne({ _id: 1 }, { $set: { "s.y": 1 } }));
      await assertRefused(28, () => c.updateOne({ _id: 1 }, { $set: { "n.y": 1 } }));
      await c.updateOne({ _id: 1 }, { $unset: { "s.y": "" } });
      assert.deepEqual(await c.findOne(), { _id: 1, s: "x", n: null });
    },
    "an unknown modifier is refused with 9": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      await assertRefused(9, () => c.updateOne({ _id: 1 }, { $bogus: { a: 1 } }));
    },
    $bit: async ({ c }) => {
      await c.insertOne({ _id: 1, f: new Int32(13) });
      await c.updateOne({ _id: 1 }, { $bit: { f: { and: new Int32(10) } } });
      assert.equal(at(await c.findOne(), "f"), 8);
    },
    "deleteOne and deleteMany counts": async ({ c }) => {
      await c.insertMany([1, 1, 1, 2].map((g) => ({ g })));
      assert.equal((await c.deleteOne({ g: 1 })).deletedCount, 1);
      assert.equal((await c.deleteMany({ g: 1 })).deletedCount, 2);
      assert.equal(await c.countDocuments(), 1);
    },
  },
};
