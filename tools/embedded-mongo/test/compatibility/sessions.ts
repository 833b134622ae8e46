import assert from "node:assert/strict";

import type { Document } from "mongodb";
import { Long, MongoClient } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { assertWorksOrRefused, at } from "./check.ts";

const ILLEGAL_OPERATION = 20;

export const SESSIONS: CheckGroup = {
  name: "session",
  checks: {
    "an explicit session without a transaction": async ({ c, client }) => {
      await client.withSession(async (session) => {
        await c.insertOne({ _id: 1 }, { session });
        assert.deepEqual(await c.findOne({ _id: 1 }, { session }), { _id: 1 });
      });
    },
    "a client with the default options, which retries writes": async ({ c, db, url }) => {
      const plain = new MongoClient(url, { serverSelectionTimeoutMS: 3000, directConnection: false });
      try {
        const same = plain.db(db.databaseName).collection<{ _id: number; a?: number }>(c.collectionName);
        await same.insertOne({ _id: 1 });
        await same.updateOne({ _id: 1 }, { $set: { a: 1 } });
        const updated = await same.findOneAndUpdate({ _id: 1 }, { $inc: { a: 1 } }, { returnDocument: "after" });
        assert.equal(updated?.a, 2);
      } finally {
        await plain.close();
      }
    },
    "a retryable write sent twice is applied once": async ({ c, db, url }) => {
      await c.insertOne({ _id: 1, n: 0 });
      const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }];
      await assertWorksOrRefused([ILLEGAL_OPERATION], async () => {
        await sendTwice(url, db.databaseName, { update: c.collectionName, updates });
        assert.equal(at(await c.findOne(), "n"), 1);
      });
    },
    "a retried findAndModify gets the first reply": async ({ c, db, url }) => {
      await c.insertMany([1, 2].map((_id) => ({ _id, s: "q" })));
      const command = { findAndModify: c.collectionName, query: { s: "q" }, update: { $set: { s: "r" } } };
      await assertWorksOrRefused([ILLEGAL_OPERATION], async () => {
        const [first, second] = await sendTwice(url, db.databaseName, command);
        assert.deepEqual(at(second, "value"), at(first, "value"));
        assert.equal(await c.countDocuments({ s: "q" }), 1);
      });
    },
  },
};

/** Sends a retryable write and its retry, from a client of its own: its session's next number is far behind then. */
async function sendTwice(url: string, database: string, command: Document): Promise<readonly [Document, Document]> {
  const client = new MongoClient(url);
  try {
    return await client.withSession(async (session) => {
      const write = { ...command, txnNumber: Long.fromNumber(1e9) };
      const db = client.db(database);
      return [await db.command({ ...write }, { session }), await db.command({ ...write }, { session })] as const;
    });
  } finally {
    await client.close();
  }
}
