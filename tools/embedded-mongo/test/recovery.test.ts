import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Db } from "mongodb";
import { Long, UUID } from "mongodb";
import { expect, it } from "vitest";

import { isStartupError, startEmbeddedMongo } from "../src/index.ts";
import { connect } from "./connect.ts";
import { sendRaw } from "./send-raw.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

/** Opens the data directory, lets `use` work on it, and closes it. */
async function session<T>(dataDir: string, use: (db: Db) => Promise<T>): Promise<T> {
  const server = await startEmbeddedMongo({ dataDir });
  try {
    return await use((await connect(server.url)).db("test"));
  } finally {
    await server.close();
  }
}

async function logPath(directory: string): Promise<string> {
  const name = (await readdir(directory)).find((entry) => entry.startsWith("log-")) ?? "log-missing";
  return join(directory, name);
}

it("keeps indexes, options and types over a restart", async () => {
  const directory = await createTemporaryDirectory();
  const n = Long.fromString("9007199254740993");
  await session(directory, async (db) => {
    await db.createCollection("items", { validator: { n: { $type: "long" } } });
    await db.collection("items").createIndex({ n: 1 }, { unique: true });
    await db.collection("items").insertOne({ n });
  });
  await session(directory, async (db) => {
    const items = db.collection("items");
    await expect(items.insertOne({ n })).rejects.toMatchObject({ code: 11000 });
    await expect(items.insertOne({ n: "text" })).rejects.toMatchObject({ code: 121 });
    expect(await items.countDocuments({ n })).toBe(1);
  });
});

it("keeps drops and renames over a restart", async () => {
  const directory = await createTemporaryDirectory();
  await session(directory, async (db) => {
    for (const name of ["a", "b"]) await db.collection(name).insertOne({ name });
    await db.collection("a").drop();
    await db.collection("b").rename("c");
    await db.collection("c").updateOne({}, { $set: { renamed: true } });
  });
  await session(directory, async (db) => {
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(["c"]);
    expect(await db.collection("c").countDocuments({ renamed: true })).toBe(1);
  });
});

it("answers a write retried after a restart without applying it again", async () => {
  const dataDir = await createTemporaryDirectory();
  const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }];
  const retry = { lsid: { id: new UUID().toBinary() }, txnNumber: Long.fromNumber(1) };
  const replies: unknown[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const server = await startEmbeddedMongo({ dataDir });
    replies.push(await sendRaw(server.port, { update: "items", $db: "test", updates, ...retry }));
    await server.close();
  }
  expect(replies[1]).toEqual(replies[0]);
  await session(dataDir, async (db) => {
    expect(await db.collection("items").findOne()).toEqual({ _id: 1, n: 1 });
  });
});

it("cuts off a torn record at the end of the log and goes on", async () => {
  const directory = await createTemporaryDirectory();
  await session(directory, (db) => db.collection("items").insertOne({ n: 1 }));
  await appendFile(await logPath(directory), Buffer.from([200, 0, 0, 0, 1, 2]));
  await session(directory, (db) => db.collection("items").insertOne({ n: 2 }));
  await session(directory, async (db) => {
    expect(await db.collection("items").distinct("n")).toEqual([1, 2]);
  });
});

it("applies a command with several documents whole or not at all", async () => {
  const directory = await createTemporaryDirectory();
  await session(directory, (db) => db.collection("items").insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]));
  const path = await logPath(directory);
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length - 1));
  await session(directory, async (db) => {
    expect(await db.collection("items").countDocuments()).toBe(0);
  });
});

it("refuses a damaged snapshot, naming the file and the byte", async () => {
  const directory = await createTemporaryDirectory();
  await writeFile(join(directory, "snapshot-1.bin"), "damaged");
  const error: unknown = await startEmbeddedMongo({ dataDir: directory }).catch((reason: unknown) => reason);
  expect(isStartupError(error, "data_directory_damaged")).toBe(true);
  expect(String(error)).toContain("snapshot-1.bin is damaged at byte 0 of 7");
});
