import assert from "node:assert/strict";

import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { at, ids } from "./check.ts";

const EXACT = { promoteLongs: false, promoteValues: false } as const;

export const TYPES: CheckGroup = {
  name: "types",
  checks: {
    "Date keeps milliseconds": async ({ c }) => {
      const d = new Date(1_700_000_000_123);
      await c.insertOne({ _id: 1, d });
      assert.deepEqual(at(await c.findOne({ _id: 1 }), "d"), d);
      assert.equal(await c.countDocuments({ d: { $lt: new Date(1_700_000_000_124), $gte: d } }), 1);
    },
    "Decimal128 is stored, read and found by equality": async ({ c }) => {
      await c.insertOne({ _id: 1, d: Decimal128.fromString("12.50") });
      assert.equal(String(at(await c.findOne({ _id: 1 }), "d")), "12.50");
      assert.equal(await c.countDocuments({ d: Decimal128.fromString("12.50") }), 1);
      assert.equal(await c.countDocuments({ d: { $in: [12.5] } }), 1);
    },
    "Decimal128 in ranges and $inc": async ({ c }) => {
      await c.insertOne({ _id: 1, d: Decimal128.fromString("12.50") });
      assert.equal(await c.countDocuments({ d: { $gt: Decimal128.fromString("9.99") } }), 1);
      assert.equal(await c.countDocuments({ d: { $gt: 100 } }), 0);
      await c.updateOne({ _id: 1 }, { $inc: { d: Decimal128.fromString("0.25") } });
      assert.equal(Number(String(at(await c.findOne({ _id: 1 }), "d"))), 12.75);
    },
    "Binary round trip and equality": async ({ c }) => {
      const b = new Binary(Buffer.from([0, 1, 2, 255]));
      await c.insertOne({ _id: 1, b });
      assert.deepEqual(at(await c.findOne({ _id: 1 }), "b"), b);
      assert.equal(await c.countDocuments({ b }), 1);
    },
    "UUID keeps subtype 4": async ({ c }) => {
      const u = new UUID();
      await c.insertOne({ _id: 1, u });
      assert.equal(at(await c.findOne({ _id: 1 }), "u", "sub_type"), 4);
      assert.equal(await c.countDocuments({ u }), 1);
    },
    "a Long above 2^53 is exact": async ({ c }) => {
      const l = Long.fromString("9007199254740993");
      await c.insertOne({ _id: 1, l });
      assert.equal(String(at(await c.findOne({ _id: 1 }, EXACT), "l")), "9007199254740993");
      assert.equal(await c.countDocuments({ l }), 1);
      assert.equal(await c.countDocuments({ l: Long.fromString("9007199254740992") }), 0);
    },
    "$inc of a Long is exact": async ({ c }) => {
      await c.insertOne({ _id: 1, l: Long.fromString("9007199254740993") });
      await c.updateOne({ _id: 1 }, { $inc: { l: Long.fromNumber(2) } });
      assert.equal(String(at(await c.findOne({ _id: 1 }, EXACT), "l")), "9007199254740995");
    },
    "Double 5 stays a double, Int32 stays an int": async ({ c }) => {
      await c.insertOne({ _id: 1, d: new Double(5), i: new Int32(5), l: Long.fromNumber(5) });
      const kinds = { d: { $type: "double" }, i: { $type: "int" }, l: { $type: "long" } };
      assert.equal(await c.countDocuments(kinds), 1);
      const stored = await c.findOne({ _id: 1 }, EXACT);
      assert.deepEqual([at(stored, "d", "_bsontype"), at(stored, "i", "_bsontype")], ["Double", "Int32"]);
    },
    "number kinds survive updates, also pipelines that do not touch them": async ({ c }) => {
      await c.insertOne({ _id: 1, d: new Double(5), l: Long.fromNumber(5), n: 1 });
      await c.updateOne({ _id: 1 }, [{ $set: { n: { $add: ["$n", 1] } } }]);
      await c.updateOne({ _id: 1 }, { $inc: { d: 1 } });
      assert.equal(await c.countDocuments({ d: { $type: "double", $eq: 6 }, l: { $type: "long", $eq: 5 }, n: 2 }), 1);
    },
    "$inc of an int above 2^31 gives a long": async ({ c }) => {
      await c.insertOne({ _id: 1, n: 2_147_483_647 });
      await c.updateOne({ _id: 1 }, { $inc: { n: 1 } });
      assert.equal(await c.countDocuments({ n: { $type: "long", $eq: Long.fromString("2147483648") } }), 1);
    },
    "regular expression, Timestamp, null, nested arrays, empty, unicode": async ({ c }) => {
      const document = {
        _id: 1,
        re: /^a.b$/i,
        n: null,
        nest: [[1, [2]], []],
        e: {},
        u: "žluťoučký 🐎 \u0000x",
        da: [new Date(1)],
        t: new Timestamp({ t: 5, i: 6 }),
      };
      await c.insertOne(document);
      assert.deepEqual(await c.findOne({ _id: 1 }), document);
    },
    "MinKey and MaxKey round trip and sort outermost": async ({ c }) => {
      await c.insertMany([
        { _id: 1, v: new MaxKey() },
        { _id: 2, v: 5 },
        { _id: 3, v: new MinKey() },
      ]);
      assert.deepEqual(ids(await c.find().sort({ v: 1 }).toArray()), [3, 2, 1]);
      assert.equal(at(await c.findOne({ _id: 1 }), "v", "_bsontype"), "MaxKey");
    },
    "field order is kept": async ({ c }) => {
      await c.insertOne({ _id: 1, z: 1, a: 2, m: 3 });
      await c.updateOne({ _id: 1 }, { $set: { b: 4 } });
      assert.deepEqual(Object.keys((await c.findOne({ _id: 1 })) ?? {}), ["_id", "z", "a", "m", "b"]);
    },
    "ObjectId in ranges and $in": async ({ c }) => {
      const keys = ["650000000000000000000001", "650000000000000000000002", "650000000000000000000003"];
      const [first, , third] = keys.map((key) => new ObjectId(key));
      await c.insertMany(keys.map((key) => ({ _id: new ObjectId(key) })));
      assert.equal(await c.countDocuments({ _id: { $gt: first } }), 2);
      assert.equal(await c.countDocuments({ _id: { $in: [first, third] } }), 2);
    },
  },
};
