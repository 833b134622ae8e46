import assert from "node:assert/strict";

import { ObjectId } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at } from "./check.ts";

export const ARRAY_UPDATES: CheckGroup = {
  name: "array update",
  checks: {
    "$push with $each, $slice, $sort and $position": async ({ c }) => {
      await c.insertOne({ _id: 1, l: [1, 2, 3], h: [] });
      await c.updateOne({ _id: 1 }, { $push: { l: { $each: [4, 5], $slice: -3 } } } as object);
      assert.deepEqual(at(await c.findOne(), "l"), [3, 4, 5]);
      await c.updateOne({ _id: 1 }, { $push: { l: { $each: [9], $position: 0 } } } as object);
      assert.deepEqual(at(await c.findOne(), "l"), [9, 3, 4, 5]);
      const scores = [{ s: 3 }, { s: 1 }, { s: 2 }];
      await c.updateOne({ _id: 1 }, { $push: { h: { $each: scores, $sort: { s: -1 }, $slice: 2 } } } as object);
      assert.deepEqual(at(await c.findOne(), "h"), [{ s: 3 }, { s: 2 }]);
    },
    "$push creates a missing array, and refuses another type with 2": async ({ c }) => {
      await c.insertOne({ _id: 1, n: 1 });
      await c.updateOne({ _id: 1 }, { $push: { l: "a" } } as object);
      assert.deepEqual(at(await c.findOne(), "l"), ["a"]);
      await assertRefused(2, () => c.updateOne({ _id: 1 }, { $push: { n: 1 } } as object));
    },
    "$addToSet, $pull, $pop and $pullAll": async ({ c }) => {
      await c.insertOne({ _id: 1, s: ["a"], o: [{ k: 1 }], l: [1, 2, 3, 4] });
      const steps: [object, object][] = [
        [{ $addToSet: { s: { $each: ["a", "b"] }, o: { k: 1 } } }, { s: ["a", "b"], o: [{ k: 1 }], l: [1, 2, 3, 4] }],
        [
          { $addToSet: { o: { k: 2 } }, $pull: { l: { $gte: 3 } } },
          { s: ["a", "b"], o: [{ k: 1 }, { k: 2 }], l: [1, 2] },
        ],
        [
          { $pull: { o: { k: 1 }, s: "a" }, $pop: { l: 1 } },
          { s: ["b"], o: [{ k: 2 }], l: [1] },
        ],
        [
          { $pullAll: { s: ["b"] }, $pop: { l: -1 } },
          { s: [], o: [{ k: 2 }], l: [] },
        ],
      ];
      for (const [update, expected] of steps) {
        await c.updateOne({ _id: 1 }, update);
        assert.deepEqual(await c.findOne({}, { projection: { _id: 0 } }), expected);
      }
    },
    "$addToSet with ObjectId and Date values": async ({ c }) => {
      const o = new ObjectId();
      await c.insertOne({ _id: 1, s: [o], d: [new Date(5)] });
      await c.updateOne({ _id: 1 }, { $addToSet: { s: new ObjectId(o.toHexString()), d: new Date(5) } });
      assert.deepEqual(await c.findOne(), { _id: 1, s: [o], d: [new Date(5)] });
    },
    "positional $, $[] and $[x] with arrayFilters": async ({ c }) => {
      await c.insertOne({ _id: 1, s: [1, 2, 3].map((k) => ({ k, v: 0 })) });
      await c.updateOne({ _id: 1, "s.k": 2 }, { $set: { "s.$.v": 5 } });
      await c.updateOne({ _id: 1 }, { $inc: { "s.$[].v": 1 } });
      const arrayFilters = [{ "e.k": { $gte: 2 }, "e.v": { $lt: 5 } }];
      await c.updateOne({ _id: 1 }, { $set: { "s.$[e].hit": true } }, { arrayFilters });
      const expected = [
        { k: 1, v: 1 },
        { k: 2, v: 6 },
        { k: 3, v: 1, hit: true },
      ];
      assert.deepEqual(at(await c.findOne(), "s"), expected);
    },
    "positional $ without a matching array is refused with 2": async ({ c }) => {
      await c.insertOne({ _id: 1, s: [{ k: 1 }] });
      await assertRefused(2, () => c.updateOne({ _id: 1 }, { $set: { "s.$.v": 5 } }));
    },
    "an array index in a path": async ({ c }) => {
      await c.insertOne({ _id: 1, s: [{ v: 0 }, { v: 0 }] });
      await c.updateOne({ _id: 1 }, { $set: { "s.1.v": 7 } });
      assert.deepEqual(at(await c.findOne(), "s"), [{ v: 0 }, { v: 7 }]);
    },
    "an index beyond the end pads with null": async ({ c }) => {
      await c.insertOne({ _id: 1, s: [1] });
      await c.updateOne({ _id: 1 }, { $set: { "s.3": 4 } });
      assert.deepEqual(at(await c.findOne(), "s"), [1, null, null, 4]);
    },
  },
};
