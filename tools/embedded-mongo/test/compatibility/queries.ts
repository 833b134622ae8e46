import assert from "node:assert/strict";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at, ids } from "./check.ts";

const numbered = (count: number): { _id: number }[] => Array.from({ length: count }, (_, index) => ({ _id: index }));

export const QUERIES: CheckGroup = {
  name: "query",
  checks: {
    "comparison and logical operators": async ({ c }) => {
      await c.insertMany([1, 2, 3, 4, 5].map((v) => ({ _id: v, v, ...(v % 2 === 1 ? { odd: true } : {}) })));
      assert.equal(await c.countDocuments({ v: { $in: [1, 2, 9] } }), 2);
      assert.equal(await c.countDocuments({ v: { $nin: [1] }, odd: { $exists: false } }), 2);
      assert.equal(await c.countDocuments({ $or: [{ v: 1 }, { v: { $gt: 4 } }] }), 2);
      assert.equal(await c.countDocuments({ $nor: [{ v: 1 }, { v: { $gt: 4 } }] }), 3);
      assert.equal(await c.countDocuments({ v: { $not: { $gte: 3 } } }), 2);
      assert.equal(await c.countDocuments({ odd: { $ne: true } }), 2);
    },
    "null matches a missing field": async ({ c }) => {
      await c.insertMany([{ _id: 1 }, { _id: 2, x: null }, { _id: 3, x: 1 }]);
      assert.equal(await c.countDocuments({ x: null }), 2);
      assert.equal(await c.countDocuments({ x: { $in: [null] } }), 2);
      assert.equal(await c.countDocuments({ x: { $ne: null } }), 1);
    },
    "dotted paths, arrays, $elemMatch, $all and $size": async ({ c }) => {
      const s = [
        { k: 1, v: 5 },
        { k: 2, v: 1 },
      ];
      await c.insertMany([
        { _id: 1, t: ["a", "b"], s, o: { p: { q: 7 } } },
        { _id: 2, t: ["c"], s: [{ k: 1, v: 1 }] },
      ]);
      const filters = [
        { t: "a" },
        { "s.k": 2 },
        { s: { $elemMatch: { k: 1, v: 5 } } },
        { t: { $all: ["a", "b"] } },
        { t: { $size: 1 } },
        { "o.p.q": 7 },
        { "s.0.v": 5 },
      ];
      for (const filter of filters) assert.equal(await c.countDocuments(filter), 1, JSON.stringify(filter));
    },
    "$gt and $lt on an array may be met by different elements": async ({ c }) => {
      await c.insertMany([
        { _id: 1, a: [1, 10] },
        { _id: 2, a: [4] },
        { _id: 3, a: [20] },
      ]);
      for (const isIndexed of [false, true]) {
        if (isIndexed) await c.createIndex({ a: 1 });
        assert.deepEqual(
          ids(
            await c
              .find({ a: { $gt: 3, $lt: 5 } })
              .sort({ _id: 1 })
              .toArray(),
          ),
          [1, 2],
        );
        assert.deepEqual(ids(await c.find({ a: { $elemMatch: { $gt: 3, $lt: 5 } } }).toArray()), [2]);
      }
    },
    "conditions on two fields of an array may be met by different elements": async ({ c }) => {
      await c.insertMany([
        {
          _id: 1,
          s: [
            { k: 1, v: 9 },
            { k: 2, v: 5 },
          ],
        },
        { _id: 2, s: [{ k: 1, v: 5 }] },
      ]);
      await c.createIndex({ "s.k": 1, "s.v": 1 });
      assert.equal(await c.countDocuments({ "s.k": 1, "s.v": 5 }), 2);
      assert.equal(await c.countDocuments({ s: { $elemMatch: { k: 1, v: 5 } } }), 1);
    },
    "regular expressions": async ({ c }) => {
      await c.insertMany([
        { _id: 1, n: "Alpha" },
        { _id: 2, n: "beta" },
      ]);
      assert.equal(await c.countDocuments({ n: /^al/i }), 1);
      assert.equal(await c.countDocuments({ n: { $regex: "^B", $options: "i" } }), 1);
      assert.equal(await c.countDocuments({ n: { $in: [/^al/i, "beta"] } }), 2);
    },
    $expr: async ({ c }) => {
      await c.insertMany([
        { _id: 1, a: 1, b: 2 },
        { _id: 2, a: 3, b: 2 },
      ]);
      assert.deepEqual(ids(await c.find({ $expr: { $gt: ["$a", "$b"] } }).toArray()), [2]);
    },
    "$expr compares across types, and a missing field is less than null": async ({ c }) => {
      await c.insertMany([{ _id: 1 }, { _id: 2, at: null }, { _id: 3, at: new Date(0) }, { _id: 4, at: "text" }]);
      const before = { $expr: { $lt: ["$at", "$$NOW"] } };
      assert.deepEqual(ids(await c.find(before).sort({ _id: 1 }).toArray()), [1, 2, 3, 4]);
      assert.deepEqual(ids(await c.find({ $expr: { $lt: ["$at", null] } }).toArray()), [1]);
      assert.deepEqual(ids(await c.find({ $expr: { $eq: ["$at", null] } }).toArray()), [2]);
    },
    "$jsonSchema in a filter": async ({ c }) => {
      await c.insertMany([
        { _id: 1, a: 1 },
        { _id: 2, a: "x" },
      ]);
      const schema = { required: ["a"], properties: { a: { bsonType: "string" } } };
      assert.deepEqual(ids(await c.find({ $jsonSchema: schema }).toArray()), [2]);
    },
    "a collection validator refuses with 121": async ({ c, db }) => {
      const validator = { $jsonSchema: { bsonType: "object", required: ["a"] } };
      await db.createCollection(c.collectionName, { validator });
      await assertRefused(121, () => c.insertOne({ b: 1 }));
      await c.insertOne({ a: 1 });
    },
    "compound sort with skip and limit": async ({ c }) => {
      await c.insertMany(numbered(30).map(({ _id }) => ({ _id, g: _id % 3, v: 30 - _id })));
      assert.deepEqual(ids(await c.find({}, { sort: { g: 1, v: 1 }, skip: 2, limit: 3 }).toArray()), [21, 18, 15]);
    },
    "sort of mixed types": async ({ c }) => {
      const values = ["a", 5, null, undefined, new Date(0), true];
      await c.insertMany(values.map((x, at) => ({ _id: at + 1, ...(x === undefined ? {} : { x }) })));
      assert.deepEqual(ids(await c.find().sort({ x: 1, _id: 1 }).toArray()), [3, 4, 2, 1, 6, 5]);
    },
    "sort by an array uses its least or greatest element": async ({ c }) => {
      await c.insertMany([
        { _id: 1, a: [3, 9] },
        { _id: 2, a: [1, 10] },
        { _id: 3, a: 5 },
      ]);
      assert.deepEqual(ids(await c.find().sort({ a: 1 }).toArray()), [2, 1, 3]);
      assert.deepEqual(ids(await c.find().sort({ a: -1 }).toArray()), [2, 1, 3]);
    },
    "a cursor over more than 101 documents": async ({ c }) => {
      await c.insertMany(numbered(1234));
      let next = 0;
      for await (const document of c.find().sort({ _id: 1 })) assert.equal(document._id, next++);
      assert.equal(next, 1234);
      assert.equal((await c.find({}, { batchSize: 7 }).toArray()).length, 1234);
    },
    "a cursor closed early": async ({ c }) => {
      await c.insertMany(numbered(500));
      const cursor = c.find();
      assert.ok(await cursor.next());
      await cursor.close();
    },
    "getMore of an unknown cursor is refused with 43": async ({ c, db }) => {
      const command = { find: c.collectionName, batchSize: 1 };
      await c.insertMany(numbered(3));
      const id = at(await db.command(command, { promoteLongs: false }), "cursor", "id");
      await db.command({ killCursors: c.collectionName, cursors: [id] });
      await assertRefused(43, () => db.command({ getMore: id, collection: c.collectionName }));
    },
    "a cursor survives deletes while it is read": async ({ c }) => {
      await c.insertMany(numbered(400));
      const seen = new Set<unknown>();
      for await (const document of c.find({}, { batchSize: 50 })) {
        seen.add(document._id);
        await c.deleteOne({ _id: document._id as number });
      }
      assert.equal(seen.size, 400);
    },
    "batches of large documents stay below 16 MB": async ({ c }) => {
      for (const _id of [1, 2, 3, 4, 5]) await c.insertOne({ _id, text: "ž".repeat(3_000_000) });
      assert.equal((await c.find().toArray()).length, 5);
    },
    "projection: include, exclude, _id, nested": async ({ c }) => {
      await c.insertOne({ _id: 1, a: 1, b: { c: 2, d: 3 }, e: [1, 2, 3] });
      assert.deepEqual(await c.findOne({}, { projection: { a: 1, _id: 0 } }), { a: 1 });
      assert.deepEqual(await c.findOne({}, { projection: { "b.c": 1 } }), { _id: 1, b: { c: 2 } });
      assert.deepEqual(await c.findOne({}, { projection: { b: 0, e: 0 } }), { _id: 1, a: 1 });
      await assertRefused([31253, 31254], () => c.findOne({}, { projection: { a: 1, b: 0 } }));
    },
    "projection: $slice, $elemMatch, positional": async ({ c }) => {
      await c.insertOne({ _id: 1, e: [1, 2, 3], s: [{ k: 1 }, { k: 2 }] });
      assert.deepEqual(at(await c.findOne({}, { projection: { e: { $slice: -2 } } }), "e"), [2, 3]);
      assert.deepEqual(at(await c.findOne({}, { projection: { s: { $elemMatch: { k: 2 } } } }), "s"), [{ k: 2 }]);
      assert.deepEqual(at(await c.findOne({ "s.k": 2 }, { projection: { "s.$": 1 } }), "s"), [{ k: 2 }]);
    },
    "projection with an expression": async ({ c }) => {
      await c.insertOne({ _id: 1, a: 2, b: 3 });
      assert.deepEqual(await c.findOne({}, { projection: { s: { $add: ["$a", "$b"] } } }), { _id: 1, s: 5 });
    },
    counts: async ({ c }) => {
      await c.insertMany(numbered(20).map(({ _id }) => ({ _id, e: _id % 2 })));
      assert.equal(await c.countDocuments({ e: 1 }), 10);
      assert.equal(await c.estimatedDocumentCount(), 20);
      assert.equal(await c.countDocuments({}, { skip: 5, limit: 4 }), 4);
      assert.equal(await c.countDocuments({ e: 99 }), 0);
    },
    "distinct unwinds arrays": async ({ c }) => {
      await c.insertMany([
        { t: ["a", "b"], g: 1 },
        { t: ["b", "c"], g: 1 },
        { t: "z", g: 2 },
      ]);
      assert.deepEqual(((await c.distinct("t", { g: 1 })) as string[]).toSorted(), ["a", "b", "c"]);
    },
    "an unknown operator is refused with 2": async ({ c }) => {
      await c.insertOne({ a: 1 });
      await assertRefused(2, () => c.find({ a: { $bogus: 1 } } as object).toArray());
    },
    "let variables in $expr": async ({ c }) => {
      await c.insertMany(numbered(3));
      const filter = { $expr: { $eq: ["$_id", "$$wanted"] } };
      assert.deepEqual(ids(await c.find(filter, { let: { wanted: 2 } }).toArray()), [2]);
    },
  },
};
