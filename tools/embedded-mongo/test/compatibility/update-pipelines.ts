import assert from "node:assert/strict";

import type { Document } from "mongodb";

import type { Check, CheckGroup } from "./check.ts";
import { assertRefused, at } from "./check.ts";

/** A check that a pipeline turns one document, of `_id` 1, into another. */
function turns(before: Document, pipeline: Document[], after: Document): Check {
  return async ({ c }) => {
    await c.insertOne({ _id: 1, ...before });
    await c.updateOne({ _id: 1 }, pipeline);
    assert.deepEqual(await c.findOne(), { _id: 1, ...after });
  };
}

const at0 = new Date(0);

export const UPDATE_PIPELINES: CheckGroup = {
  name: "update pipeline",
  checks: {
    "$set and $unset": turns({ a: 1, b: 2 }, [{ $set: { s: { $add: ["$a", "$b"] } } }, { $unset: "b" }], {
      a: 1,
      s: 3,
    }),
    "$set of a nested document keeps the fields beside it": turns(
      { a: { x: 1 } },
      [{ $set: { a: { y: 2 }, "b.c": 3 } }],
      { a: { x: 1, y: 2 }, b: { c: 3 } },
    ),
    "$unset of several fields": turns({ a: 1, b: { c: 1, d: 2 }, e: 3 }, [{ $unset: ["a", "b.c"] }], {
      b: { d: 2 },
      e: 3,
    }),
    "$$REMOVE in $set": turns({ a: 1, b: 2 }, [{ $set: { a: "$$REMOVE" } }], { b: 2 }),
    "$replaceWith and $mergeObjects": turns({ a: 1 }, [{ $replaceWith: { $mergeObjects: ["$$ROOT", { b: 2 }] } }], {
      a: 1,
      b: 2,
    }),
    "$cond, $ifNull, $switch, $let, $literal": turns(
      { n: 5 },
      [
        {
          $set: {
            cond: { $cond: [{ $gt: ["$n", 3] }, "big", "small"] },
            ifNull: { $ifNull: ["$missing", "$n", 0] },
            switched: { $switch: { branches: [{ case: { $eq: ["$n", 5] }, then: "five" }], default: "other" } },
            bound: { $let: { vars: { m: { $add: ["$n", 1] } }, in: { $multiply: ["$$m", 2] } } },
            literal: { $literal: "$n" },
          },
        },
      ],
      { n: 5, cond: "big", ifNull: 5, switched: "five", bound: 12, literal: "$n" },
    ),
    "$concatArrays, $slice, $arrayElemAt, $size, $in, $indexOfArray": turns(
      { l: [1, 2, 3] },
      [
        {
          $set: {
            concat: { $concatArrays: ["$l", [4]] },
            last: { $slice: ["$l", -2] },
            second: { $arrayElemAt: ["$l", 1] },
            size: { $size: "$l" },
            has: { $in: [2, "$l"] },
            index: { $indexOfArray: ["$l", 3] },
          },
        },
      ],
      { l: [1, 2, 3], concat: [1, 2, 3, 4], last: [2, 3], second: 2, size: 3, has: true, index: 2 },
    ),
    "$filter and $map": turns(
      { l: [{ k: 1 }, { k: 2 }] },
      [
        {
          $set: {
            kept: { $filter: { input: "$l", as: "e", cond: { $gt: ["$$e.k", 1] } } },
            keys: { $map: { input: "$l", as: "e", in: "$$e.k" } },
          },
        },
      ],
      { l: [{ k: 1 }, { k: 2 }], kept: [{ k: 2 }], keys: [1, 2] },
    ),
    "$dateAdd, $add and $subtract of dates": turns(
      { d: at0 },
      [
        {
          $set: {
            later: { $dateAdd: { startDate: "$d", unit: "second", amount: 90 } },
            added: { $add: ["$d", 12_000] },
            between: { $subtract: [{ $add: ["$d", 5] }, "$d"] },
          },
        },
      ],
      { d: at0, later: new Date(90_000), added: new Date(12_000), between: 5 },
    ),
    "$setUnion, $setDifference, $setIntersection": async ({ c }) => {
      await c.insertOne({ _id: 1, a: ["x", "y"], b: ["y", "z"] });
      const operators = ["$setUnion", "$setDifference", "$setIntersection"];
      await c.updateOne({ _id: 1 }, [{ $set: { r: operators.map((name) => ({ [name]: ["$a", "$b"] })) } }]);
      const sets = at(await c.findOne(), "r") as string[][];
      assert.deepEqual(
        sets.map((set) => set.toSorted()),
        [["x", "y", "z"], ["x"], ["y"]],
      );
    },
    "$$NOW is one time for all fields and documents of a command": async ({ c }) => {
      await c.insertMany([{ _id: 1 }, { _id: 2 }]);
      await c.updateMany({}, [
        { $set: { a: "$$NOW", b: { $dateAdd: { startDate: "$$NOW", unit: "second", amount: 1 } } } },
      ]);
      const [first, second] = await c.find().toArray();
      assert.deepEqual(at(first, "a"), at(second, "a"));
      assert.equal(Number(at(first, "b")) - Number(at(first, "a")), 1000);
    },
    "$literal keeps the text $$NOW": turns({}, [{ $set: { t: { $literal: "$$NOW" } } }], { t: "$$NOW" }),
    "an upsert by a pipeline starts from the filter": async ({ c }) => {
      await c.updateOne({ _id: "k" }, [{ $set: { n: { $add: [{ $ifNull: ["$n", 0] }, 1] } } }], { upsert: true });
      assert.deepEqual(await c.findOne(), { _id: "k", n: 1 });
    },
    "let variables in a pipeline": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      await c.updateOne({ _id: 1 }, [{ $set: { v: "$$given" } }], { let: { given: 7 } });
      assert.deepEqual(await c.findOne(), { _id: 1, v: 7 });
    },
    "a stage that updates do not have is refused with 72": async ({ c }) => {
      await c.insertOne({ _id: 1 });
      await assertRefused([2, 72], () => c.updateOne({ _id: 1 }, [{ $group: { _id: null } }]));
    },
  },
};
