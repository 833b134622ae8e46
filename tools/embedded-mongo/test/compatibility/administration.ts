import assert from "node:assert/strict";

import { GridFSBucket } from "mongodb";

import type { CheckGroup } from "./check.ts";
import { assertRefused, at } from "./check.ts";

export const ADMINISTRATION: CheckGroup = {
  name: "admin",
  checks: {
    "listCollections, rename, drop, dropDatabase": async ({ c, db, client }) => {
      await c.insertOne({ a: 1 });
      assert.equal((await db.listCollections({ name: c.collectionName }).toArray()).length, 1);
      const renamed = await c.rename(`${c.collectionName}_renamed`);
      assert.equal(await renamed.countDocuments(), 1);
      await renamed.drop();
      assert.equal((await db.listCollections({ name: renamed.collectionName }).toArray()).length, 0);
      const doomed = client.db(`${db.databaseName}_doomed`);
      await doomed.collection("x").insertOne({});
      await doomed.dropDatabase();
      assert.equal(await doomed.collection("x").countDocuments(), 0);
    },
    "createCollection twice is refused with 48": async ({ c, db }) => {
      await db.createCollection(c.collectionName);
      await assertRefused(48, () => db.createCollection(c.collectionName, { validator: { a: 1 } }));
    },
    "ping, buildInfo, serverStatus, dbStats, connectionStatus, listDatabases": async ({ c, db }) => {
      await c.insertOne({});
      await db.admin().ping();
      assert.match(String(at(await db.admin().buildInfo(), "version")), /^\d+\.\d+/);
      assert.ok(await db.admin().serverStatus());
      assert.equal(at(await db.stats(), "db"), db.databaseName);
      assert.ok(at(await db.command({ connectionStatus: 1 }), "authInfo"));
      const { databases } = await db.admin().listDatabases();
      assert.ok(databases.some(({ name }) => name === db.databaseName));
    },
    "an unknown command is refused with 59": async ({ db }) => {
      await assertRefused(59, () => db.command({ bogusCmd: 1 }));
    },
    "a bad collection name is refused with 73": async ({ db }) => {
      await assertRefused([2, 73], () => db.command({ create: "a$b" }));
    },
    "collMod changes a TTL": async ({ c, db }) => {
      await c.createIndex({ t: 1 }, { expireAfterSeconds: 10 });
      await db.command({ collMod: c.collectionName, index: { keyPattern: { t: 1 }, expireAfterSeconds: 99 } });
      const index = (await c.indexes()).find(({ name }) => name === "t_1");
      assert.equal(index?.expireAfterSeconds, 99);
    },
    "GridFS upload and download of 1 MB": async ({ c, db }) => {
      const bucket = new GridFSBucket(db, { bucketName: `${c.collectionName}_fs` });
      const data = Buffer.alloc(1 << 20, 7);
      const upload = bucket.openUploadStream("f");
      await new Promise<void>((resolve, reject) => {
        upload.once("error", reject);
        upload.end(data, resolve);
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of bucket.openDownloadStream(upload.id)) chunks.push(chunk as Uint8Array);
      assert.ok(Buffer.concat(chunks).equals(data));
    },
    "maxTimeMS, comment, readConcern, writeConcern majority and j are accepted": async ({ c }) => {
      await c.insertOne({ _id: 1 }, { writeConcern: { w: "majority", journal: true } });
      const options = { maxTimeMS: 5000, comment: "x", readConcern: { level: "majority" } } as const;
      assert.equal((await c.find({}, options).toArray()).length, 1);
    },
  },
};
