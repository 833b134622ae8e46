import assert from "node:assert/strict";

import type { CheckGroup } from "./check.ts";
import { at, codeOf } from "./check.ts";

function times<T>(count: number, start: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index)));
}

function settled<T>(count: number, start: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: count }, (_, index) => start(index)));
}

/** Asserts that one attempt won and that all others were refused as duplicates. */
function assertOneWinner(results: readonly PromiseSettledResult<unknown>[]): void {
  const losers = results.flatMap((result) => (result.status === "rejected" ? [codeOf(result.reason)] : []));
  assert.equal(results.length - losers.length, 1);
  assert.ok(losers.every((code) => code === 11000));
}

export const CONCURRENCY: CheckGroup = {
  name: "concurrency",
  checks: {
    "optimistic lock: of 50 versioned updates exactly one wins": async ({ c }) => {
      await c.insertOne({ _id: 1, version: 1 });
      const update = (by: number): object => ({ $set: { by }, $inc: { version: 1 } });
      const results = await times(50, (by) => c.updateOne({ _id: 1, version: 1 }, update(by)));
      assert.equal(
        results.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0),
        1,
      );
      assert.equal(at(await c.findOne(), "version"), 2);
    },
    "120 claims of 100 jobs: each is claimed once": async ({ c }) => {
      await c.createIndex({ status: 1, prio: -1 });
      await c.insertMany(
        Array.from({ length: 100 }, (_, n) => ({ _id: `j${String(n)}`, status: "queued", prio: n % 7 })),
      );
      const options = { sort: { prio: -1, _id: 1 }, returnDocument: "after" } as const;
      const claim = (worker: number): object => ({ $set: { status: "running", worker }, $inc: { attempts: 1 } });
      const claimed = await times(120, (worker) => c.findOneAndUpdate({ status: "queued" }, claim(worker), options));
      const ids = claimed.flatMap((job): unknown[] => (job === null ? [] : [job._id]));
      assert.deepEqual([ids.length, new Set(ids).size], [100, 100]);
      assert.equal(await c.countDocuments({ status: "running", attempts: 1 }), 100);
    },
    "200 parallel $inc lose none": async ({ c }) => {
      await c.insertOne({ _id: 1, n: 0 });
      await times(200, () => c.updateOne({ _id: 1 }, { $inc: { n: 1 } }));
      assert.equal(at(await c.findOne(), "n"), 200);
    },
    "50 parallel upserts of one unique key give one document": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true });
      const update = { $inc: { n: 1 }, $setOnInsert: { a: 1 } };
      await settled(50, () => c.updateOne({ k: "x" }, update, { upsert: true }));
      assert.equal(await c.countDocuments(), 1);
    },
    "50 parallel inserts of one unique key give exactly one": async ({ c }) => {
      await c.createIndex({ k: 1 }, { unique: true });
      assertOneWinner(await settled(50, () => c.insertOne({ k: "x" })));
    },
    "a lock document has one holder of 20": async ({ c }) => {
      const now = new Date();
      const take = (owner: number): object => ({ $set: { owner, until: new Date(Number(now) + 30_000) } });
      const filter = { _id: "lock", until: { $lt: now } };
      assertOneWinner(await settled(20, (owner) => c.findOneAndUpdate(filter, take(owner), { upsert: true })));
    },
  },
};
