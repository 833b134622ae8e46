import assert from "node:assert/strict";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at, ids } from "./check.ts";

export const BULK_WRITES: CheckGroup = {
  name: "bulk",
  checks: {
    "mixed and ordered": async ({ c }) => {
      await c.insertMany([1, 2, 3].map((v) => ({ _id: v, v })));
      const result = await c.bulkWrite([
        { insertOne: { document: { _id: 4 } } },
        { updateOne: { filter: { _id: 1 }, update: { $set: { v: 10 } } } },
        { updateMany: { filter: { v: { $lt: 5 } }, update: { $inc: { v: 100 } } } },
        { replaceOne: { filter: { _id: 3 }, replacement: { r: 1 } } },
        { deleteOne: { filter: { _id: 2 } } },
        { updateOne: { filter: { _id: "u" }, update: { $set: { v: 1 } }, upsert: true } },
      ]);
      const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = result;
      assert.deepEqual([insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount], [1, 4, 4, 1, 1]);
      assert.deepEqual(result.upsertedIds, { 5: "u" });
      assert.deepEqual(ids(await c.find().sort({ _id: 1 }).toArray()), [1, 3, 4, "u"]);
    },
    "unordered with a duplicate key": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      const operations = [
        { insertOne: { document: { _id: 1 } } },
        { insertOne: { document: { _id: 2 } } },
        { updateOne: { filter: { _id: 2 }, update: { $set: { x: 1 } } } },
      ];
      const error = await assertRefused(11000, () => c.bulkWrite(operations, { ordered: false }));
      assert.deepEqual([at(error, "result", "insertedCount"), at(error, "result", "modifiedCount")], [1, 1]);
      assert.equal(at(error, "writeErrors", 0, "index"), 0);
    },
    "with arrayFilters": async ({ c }) => {
      await c.insertOne({ _id: 1, a: [1, 5, 9] });
      const update = { $inc: { "a.$[x]": 100 } };
      await c.bulkWrite([{ updateOne: { filter: { _id: 1 }, update, arrayFilters: [{ x: { $gt: 4 } }] } }]);
      assert.deepEqual(at(await c.findOne(), "a"), [1, 105, 109]);
    },
  },
};
