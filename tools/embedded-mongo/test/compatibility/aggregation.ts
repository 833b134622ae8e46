import assert from "node:assert/strict";

import type { Collection, Document } from "mongodb";
import { ObjectId } from "mongodb";

import type { CheckDocument, CheckGroup } from "./check.ts";
import { assertRefused, at, ids } from "./check.ts";

async function seed(c: Collection<CheckDocument>): Promise<void> {
  await c.insertMany([
    { _id: 1, g: "a", v: 1, t: ["x", "y"], d: new Date("2024-01-15T10:00:00Z") },
    { _id: 2, g: "a", v: 3, t: ["y"], d: new Date("2024-01-20T00:00:00Z") },
    { _id: 3, g: "b", v: 5, t: [], d: new Date("2024-02-01T00:00:00Z") },
  ]);
}

export const AGGREGATION: CheckGroup = {
  name: "aggregate",
  checks: {
    "$match, $group with accumulators, $sort": async ({ c }) => {
      await seed(c);
      const group = {
        _id: "$g",
        n: { $sum: 1 },
        s: { $sum: "$v" },
        a: { $avg: "$v" },
        lo: { $min: "$v" },
        hi: { $max: "$v" },
        f: { $first: "$v" },
        p: { $push: "$v" },
      };
      const pipeline = [{ $match: { v: { $gt: 0 } } }, { $group: group }, { $sort: { _id: 1 } }];
      assert.deepEqual(await c.aggregate(pipeline).toArray(), [
        { _id: "a", n: 2, s: 4, a: 2, lo: 1, hi: 3, f: 1, p: [1, 3] },
        { _id: "b", n: 1, s: 5, a: 5, lo: 5, hi: 5, f: 5, p: [5] },
      ]);
    },
    "$group by a compound key and by null": async ({ c }) => {
      await seed(c);
      const key = { g: "$g", big: { $gte: ["$v", 3] } };
      const pipeline = [{ $group: { _id: key, n: { $sum: 1 } } }, { $sort: { "_id.g": 1, "_id.big": 1 } }];
      assert.deepEqual(await c.aggregate(pipeline).toArray(), [
        { _id: { g: "a", big: false }, n: 1 },
        { _id: { g: "a", big: true }, n: 1 },
        { _id: { g: "b", big: true }, n: 1 },
      ]);
      assert.deepEqual(await c.aggregate([{ $group: { _id: null, n: { $sum: "$v" } } }]).toArray(), [
        { _id: null, n: 9 },
      ]);
    },
    "$push and $addToSet leave a missing field out, and keep null": async ({ c }) => {
      await c.insertMany([{ v: 1 }, {}, { v: null }, { v: 1 }]);
      const pipeline = [{ $group: { _id: null, all: { $push: "$v" }, set: { $addToSet: "$v" } } }];
      const [result] = await c.aggregate(pipeline).toArray();
      assert.deepEqual(at(result, "all"), [1, null, 1]);
      assert.equal(at(result, "set", "length"), 2);
    },
    "$min, $max and $sort over mixed types": async ({ c }) => {
      const values = [true, "a", 5, new Date(0), null, { k: 1 }];
      await c.insertMany(values.map((v, _id) => ({ _id, v })));
      const group = { $group: { _id: null, lo: { $min: "$v" }, hi: { $max: "$v" } } };
      assert.deepEqual(await c.aggregate([group]).toArray(), [{ _id: null, lo: 5, hi: new Date(0) }]);
      const sorted = await c.aggregate([{ $addFields: { w: "$v" } }, { $sort: { w: 1 } }]).toArray();
      assert.deepEqual(ids(sorted), [4, 2, 1, 5, 0, 3]);
    },
    "$project expressions": async ({ c }) => {
      await seed(c);
      const project = {
        k: { $concat: ["$g", "-", { $toString: "$v" }] },
        big: { $cond: [{ $gt: ["$v", 2] }, 1, 0] },
        q: { $ifNull: ["$zz", "def"] },
        day: { $dateToString: { format: "%Y-%m-%d", date: "$d" } },
        ts: { $size: "$t" },
        up: { $map: { input: "$t", as: "x", in: { $toUpper: "$$x" } } },
        fl: { $filter: { input: "$t", as: "x", cond: { $eq: ["$$x", "y"] } } },
      };
      const expected = { _id: 1, k: "a-1", big: 0, q: "def", day: "2024-01-15", ts: 2, up: ["X", "Y"], fl: ["y"] };
      assert.deepEqual(await c.aggregate([{ $match: { _id: 1 } }, { $project: project }]).toArray(), [expected]);
    },
    $unwind: async ({ c }) => {
      await seed(c);
      assert.equal((await c.aggregate([{ $unwind: "$t" }]).toArray()).length, 3);
      const unwind = { path: "$t", preserveNullAndEmptyArrays: true, includeArrayIndex: "i" };
      const unwound = await c.aggregate([{ $unwind: unwind }, { $sort: { _id: 1, i: 1 } }]).toArray();
      assert.equal(unwound.length, 4);
      assert.equal(Number(at(unwound, 1, "i")), 1);
    },
    $facet: async ({ c }) => {
      await seed(c);
      const items = [{ $sort: { v: -1 } }, { $limit: 1 }, { $project: { v: 1 } }];
      const [result] = await c.aggregate([{ $facet: { items, total: [{ $count: "n" }] } }]).toArray();
      assert.deepEqual(result, { items: [{ _id: 3, v: 5 }], total: [{ n: 3 }] });
    },
    "$lookup by fields": async ({ c, other }) => {
      await seed(c);
      await other.insertMany([
        { _id: "a", name: "A" },
        { _id: "b", name: "B" },
      ]);
      const lookup = { from: other.collectionName, localField: "g", foreignField: "_id", as: "grp" };
      const pipeline = [
        { $sort: { _id: 1 } },
        { $lookup: lookup },
        { $unwind: "$grp" },
        { $project: { n: "$grp.name" } },
      ];
      const expected = [
        { _id: 1, n: "A" },
        { _id: 2, n: "A" },
        { _id: 3, n: "B" },
      ];
      assert.deepEqual(await c.aggregate(pipeline).toArray(), expected);
    },
    "$lookup with let and a pipeline": async ({ c, other }) => {
      await seed(c);
      await other.insertMany([
        { _id: 1, g: "a", w: 2 },
        { _id: 2, g: "a", w: 9 },
      ]);
      const match = { $expr: { $and: [{ $eq: ["$g", "$$gg"] }, { $gt: ["$w", 5] }] } };
      const inner = [{ $match: match }, { $project: { w: 1, _id: 0 } }];
      const lookup = { from: other.collectionName, let: { gg: "$g" }, pipeline: inner, as: "m" };
      const [result] = await c.aggregate([{ $match: { _id: 1 } }, { $lookup: lookup }]).toArray();
      assert.deepEqual(at(result, "m"), [{ w: 9 }]);
    },
    "$merge into another collection": async ({ c, other }) => {
      await seed(c);
      await other.insertOne({ _id: "a", old: 1 });
      const merge = { into: other.collectionName, on: "_id", whenMatched: "merge", whenNotMatched: "insert" };
      await c.aggregate([{ $group: { _id: "$g", s: { $sum: "$v" } } }, { $merge: merge }]).toArray();
      const expected = [
        { _id: "a", old: 1, s: 4 },
        { _id: "b", s: 5 },
      ];
      assert.deepEqual(await other.find().sort({ _id: 1 }).toArray(), expected);
    },
    $out: async ({ c, other }) => {
      await seed(c);
      await c.aggregate([{ $match: { g: "a" } }, { $out: other.collectionName }]).toArray();
      assert.equal(await other.countDocuments(), 2);
    },
    "$addFields, $replaceRoot, $sortByCount, $bucket, $sample, $unionWith": async ({ c, other }) => {
      await seed(c);
      await other.insertOne({ _id: 99, g: "z" });
      const root = [{ $addFields: { w: { $multiply: ["$v", 2] } } }, { $replaceRoot: { newRoot: { w: "$w" } } }];
      assert.deepEqual(await c.aggregate([{ $match: { _id: 1 } }, ...root]).toArray(), [{ w: 2 }]);
      const counts = [
        { _id: "a", count: 2 },
        { _id: "b", count: 1 },
      ];
      assert.deepEqual(await c.aggregate([{ $sortByCount: "$g" }]).toArray(), counts);
      assert.equal((await c.aggregate([{ $sample: { size: 2 } }]).toArray()).length, 2);
      assert.equal((await c.aggregate([{ $unionWith: other.collectionName }]).toArray()).length, 4);
      const bucket = { groupBy: "$v", boundaries: [0, 2, 10], output: { n: { $sum: 1 } } };
      assert.deepEqual(await c.aggregate([{ $bucket: bucket }]).toArray(), [
        { _id: 0, n: 1 },
        { _id: 2, n: 2 },
      ]);
    },
    "$group by $dateTrunc": async ({ c }) => {
      await seed(c);
      const month = { $dateTrunc: { date: "$d", unit: "month" } };
      const pipeline = [{ $group: { _id: month, n: { $sum: 1 } } }, { $sort: { _id: 1 } }];
      assert.deepEqual(await c.aggregate(pipeline).toArray(), [
        { _id: new Date("2024-01-01T00:00:00.000Z"), n: 2 },
        { _id: new Date("2024-02-01T00:00:00.000Z"), n: 1 },
      ]);
    },
    $setWindowFields: async ({ c }) => {
      await seed(c);
      const output = { cum: { $sum: "$v", window: { documents: ["unbounded", "current"] } } };
      const window = { partitionBy: "$g", sortBy: { v: 1 }, output };
      const results = await c.aggregate([{ $setWindowFields: window }, { $sort: { _id: 1 } }]).toArray();
      assert.deepEqual(
        results.map((result) => at(result, "cum")),
        [1, 4, 5],
      );
    },
    $graphLookup: async ({ c }) => {
      await c.insertMany([
        { _id: 1, p: null },
        { _id: 2, p: 1 },
        { _id: 3, p: 2 },
      ]);
      const from = c.collectionName;
      const lookup = { from, startWith: "$p", connectFromField: "p", connectToField: "_id", as: "anc" };
      const [result] = await c.aggregate([{ $match: { _id: 3 } }, { $graphLookup: lookup }]).toArray();
      assert.deepEqual(ids(at(result, "anc") as Document[]).toSorted(), [1, 2]);
    },
    "an aggregation cursor over more than 101 documents": async ({ c }) => {
      await c.insertMany(Array.from({ length: 700 }, (_, _id) => ({ _id })));
      assert.equal((await c.aggregate([{ $match: {} }], { batchSize: 100 }).toArray()).length, 700);
    },
    "$group on ObjectId and Date keys": async ({ c }) => {
      const o = new ObjectId();
      await c.insertMany([
        { o, d: new Date(1) },
        { o: new ObjectId(o.toHexString()), d: new Date(1) },
      ]);
      const grouped = await c.aggregate([{ $group: { _id: "$o", n: { $sum: 1 } } }]).toArray();
      assert.deepEqual(grouped, [{ _id: o, n: 2 }]);
      assert.equal((await c.aggregate([{ $group: { _id: "$d", n: { $sum: 1 } } }]).toArray()).length, 1);
    },
    "an unknown stage is refused with 40324": async ({ c }) => {
      await seed(c);
      await assertRefused(40324, () => c.aggregate([{ $bogus: {} }]).toArray());
    },
    "an unknown expression is refused": async ({ c }) => {
      await seed(c);
      await assertRefused([168, 31325], () => c.aggregate([{ $project: { x: { $bogus: 1 } } }]).toArray());
    },
  },
};
