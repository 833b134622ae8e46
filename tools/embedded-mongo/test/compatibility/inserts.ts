import assert from "node:assert/strict";

import { ObjectId, UUID } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at } from "./check.ts";

const numbered = (count: number): { _id: number }[] => Array.from({ length: count }, (_, at) => ({ _id: at }));

export const INSERTS: CheckGroup = {
  name: "insert",
  checks: {
    "insertOne and findOne round trip, ObjectId _id": async ({ c }) => {
      const { insertedId } = await c.insertOne({ a: 1 });
      assert.ok(insertedId instanceof ObjectId);
      assert.deepEqual(await c.findOne({ _id: insertedId }), { _id: insertedId, a: 1 });
    },
    "string, number, UUID and compound _id": async ({ c }) => {
      const keys = ["job-1", 42, new UUID(), { t: "x", n: 1 }];
      await c.insertMany(keys.map((key, v) => ({ _id: key, v })));
      for (const [v, key] of keys.entries()) assert.equal(at(await c.findOne({ _id: key }), "v"), v);
    },
    "duplicate _id is refused with 11000": async ({ c }) => {
      await c.insertOne({ _id: "a" });
      const error = await assertRefused(11000, () => c.insertOne({ _id: "a" }));
      assert.match(String(error), /E11000/);
    },
    "duplicate ObjectId _id is refused with 11000": async ({ c }) => {
      const _id = new ObjectId();
      await c.insertOne({ _id });
      await assertRefused(11000, () => c.insertOne({ _id }));
    },
    "unordered insertMany inserts the others and reports each duplicate": async ({ c }) => {
      await c.insertOne({ _id: 2 });
      const documents = [1, 2, 3, 1, 4].map((_id) => ({ _id }));
      const error = await assertRefused(11000, () => c.insertMany(documents, { ordered: false }));
      assert.deepEqual([at(error, "writeErrors", 0, "index"), at(error, "writeErrors", 1, "index")], [1, 3]);
      assert.equal(at(error, "insertedCount"), 3);
      assert.equal(await c.countDocuments(), 4);
    },
    "ordered insertMany stops at the first error": async ({ c }) => {
      await assertRefused(11000, () => c.insertMany([1, 1, 3].map((_id) => ({ _id }))));
      assert.equal(await c.countDocuments(), 1);
    },
    "2 MB document": async ({ c }) => {
      const text = "x".repeat(2 << 20);
      await c.insertOne({ _id: 1, text });
      assert.equal(at(await c.findOne({ _id: 1 }), "text", "length"), text.length);
    },
    "15 MB document": async ({ c }) => {
      const text = "x".repeat(15e6);
      await c.insertOne({ _id: 1, text });
      assert.equal(at(await c.findOne({ _id: 1 }), "text", "length"), text.length);
    },
    "insertMany of 5000 documents": async ({ c }) => {
      await c.insertMany(numbered(5000).map((document) => ({ ...document, payload: "y".repeat(200) })));
      assert.equal(await c.countDocuments(), 5000);
    },
    "an array as _id is refused with 53": async ({ c }) => {
      await assertRefused([2, 53], () => c.insertOne({ _id: [1] }));
    },
    "a document that grows above 16 MB is refused with 10334 and left as it was": async ({ c }) => {
      await c.insertOne({ _id: 1, a: "x".repeat(9_000_000) });
      await assertRefused([10334, 17419], () => c.updateOne({ _id: 1 }, { $set: { b: "y".repeat(9_000_000) } }));
      assert.equal(at(await c.findOne({ _id: 1 }), "b"), undefined);
    },
    "fields named like object internals are kept": async ({ c }) => {
      const document = { _id: 1, constructor: "a", toString: "b", hasOwnProperty: { nested: 1 }, length: 3 };
      await c.insertOne(document);
      await c.updateOne({ _id: 1 }, { $set: { length: 4 } });
      assert.deepEqual(await c.findOne({ constructor: "a" }), { ...document, length: 4 });
    },
  },
};
