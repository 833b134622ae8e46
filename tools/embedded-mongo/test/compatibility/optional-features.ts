import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

import type { CheckGroup } from "./check.ts";
import { assertWorksOrRefused, at, ids } from "./check.ts";

const ILLEGAL_OPERATION = 20;
const INDEX_NOT_FOUND = 27;
const CANNOT_CREATE_INDEX = 67;
const COMMAND_NOT_SUPPORTED = 115;
const CHANGE_STREAM_UNSUPPORTED = 40573;
const CHANGE_WAIT_MS = 300;

/** Features that the product never uses: a server has them, or refuses them with MongoDB's code. */
export const OPTIONAL_FEATURES: CheckGroup = {
  name: "optional",
  checks: {
    "collation: a search that ignores case": async ({ c }) => {
      await c.insertOne({ _id: 1, n: "Foo" });
      await assertWorksOrRefused([COMMAND_NOT_SUPPORTED], async () => {
        assert.equal(await c.countDocuments({ n: "foo" }, { collation: { locale: "en", strength: 2 } }), 1);
      });
    },
    "text index": async ({ c }) => {
      await c.insertMany([
        { _id: 1, t: "quick brown fox" },
        { _id: 2, t: "lazy dog" },
      ]);
      await assertWorksOrRefused([CANNOT_CREATE_INDEX], async () => {
        await c.createIndex({ t: "text" });
        assert.deepEqual(ids(await c.find({ $text: { $search: "fox" } }).toArray()), [1]);
      });
    },
    "$text without a text index": async ({ c }) => {
      await c.insertOne({ _id: 1, t: "quick brown fox" });
      const error = await c
        .find({ $text: { $search: "fox" } })
        .toArray()
        .catch((reason: unknown) => reason);
      assert.equal(at(error, "code"), INDEX_NOT_FOUND);
    },
    "capped collection with a tailable cursor": async ({ c, db }) => {
      await assertWorksOrRefused([COMMAND_NOT_SUPPORTED], async () => {
        await db.createCollection(c.collectionName, { capped: true, size: 4096, max: 3 });
        await c.insertMany([1, 2, 3, 4].map((_id) => ({ _id })));
        assert.deepEqual(ids(await c.find().toArray()), [2, 3, 4]);
        const cursor = c.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 200 });
        for (const _id of [2, 3, 4]) assert.deepEqual(await cursor.next(), { _id });
        await cursor.close();
      });
    },
    "a transaction that commits": async ({ c, other, client }) => {
      await c.insertOne({ _id: 0 });
      await other.insertOne({ _id: 0 });
      await assertWorksOrRefused([ILLEGAL_OPERATION], async () => {
        await client.withSession((session) =>
          session.withTransaction(async () => {
            await c.insertOne({ _id: 1 }, { session });
            await other.updateOne({ _id: 0 }, { $set: { x: 1 } }, { session });
          }),
        );
        assert.equal(await c.countDocuments(), 2);
        assert.deepEqual(await other.findOne(), { _id: 0, x: 1 });
      });
    },
    "a transaction that aborts leaves nothing": async ({ c, client }) => {
      await c.insertOne({ _id: 0, n: 0 });
      await assertWorksOrRefused([ILLEGAL_OPERATION], () =>
        client.withSession(async (session) => {
          session.startTransaction();
          await c.insertOne({ _id: 1 }, { session });
          await c.updateOne({ _id: 0 }, { $inc: { n: 1 } }, { session });
          await session.abortTransaction();
        }),
      );
      assert.deepEqual(await c.find().toArray(), [{ _id: 0, n: 0 }]);
    },
    "a transaction is not seen outside before it commits": async ({ c, client }) => {
      await c.insertOne({ _id: 0, n: 0 });
      await assertWorksOrRefused([ILLEGAL_OPERATION], () =>
        client.withSession(async (session) => {
          session.startTransaction();
          await c.updateOne({ _id: 0 }, { $inc: { n: 1 } }, { session });
          assert.equal(at(await c.findOne({ _id: 0 }), "n"), 0);
          await session.commitTransaction();
          assert.equal(at(await c.findOne({ _id: 0 }), "n"), 1);
        }),
      );
    },
    "a change stream on a collection": async ({ c }) => {
      await c.insertOne({ _id: 0 });
      const stream = c.watch([], { fullDocument: "updateLookup" });
      try {
        await assertWorksOrRefused([CHANGE_STREAM_UNSUPPORTED], async () => {
          const [change] = await Promise.all([stream.next(), insertLater(() => c.insertOne({ _id: 1, a: 1 }))]);
          assert.deepEqual(at(change, "fullDocument"), { _id: 1, a: 1 });
        });
      } finally {
        await stream.close();
      }
    },
  },
};

/** Inserts once the stream, of which the driver tells no readiness, has had time to open. */
async function insertLater(insert: () => Promise<unknown>): Promise<void> {
  await wait(CHANGE_WAIT_MS);
  await insert();
}
