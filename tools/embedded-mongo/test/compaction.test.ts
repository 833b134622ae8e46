import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { connectionUrl } from "../src/bind-address.ts";
import type { RunningServer } from "../src/server.ts";
import { startServer } from "../src/server.ts";
import { connect } from "./connect.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

const COMPACT_AT_BYTES = 200_000;

it("compacts the log while it serves, and loses nothing", async () => {
  const directory = await createTemporaryDirectory();
  const first = await start(directory);
  const items = (await connect(connectionUrl(first.address))).db("test").collection<Item>("items");
  await items.createIndex({ n: 1 }, { unique: true });
  await Promise.all(
    Array.from({ length: 50 }, (_, _id) => items.insertOne({ _id, n: _id, rounds: 0, text: "x".repeat(500) })),
  );
  const rounds = 40;
  for (let round = 1; round <= rounds; round++) {
    await Promise.all(Array.from({ length: 50 }, (_, _id) => items.updateOne({ _id }, { $inc: { rounds: 1 } })));
  }
  await expect.poll(() => generations(directory), { timeout: 15_000 }).toEqual({ logs: 1, snapshots: 1 });
  expect(await totalBytes(directory)).toBeLessThan(COMPACT_AT_BYTES * 2);
  await first.close();

  const second = await start(directory);
  const reopened = (await connect(connectionUrl(second.address))).db("test").collection<Item>("items");
  expect(await reopened.countDocuments({ rounds })).toBe(50);
  await expect(reopened.insertOne({ _id: 99, n: 7, rounds: 0, text: "" })).rejects.toMatchObject({ code: 11000 });
});

interface Item {
  readonly _id: number;
  readonly n: number;
  readonly rounds: number;
  readonly text: string;
}

async function start(dataDir: string): Promise<RunningServer> {
  const server = await startServer({ host: "127.0.0.1", port: 0, dataDir, compactAtBytes: COMPACT_AT_BYTES });
  onTestFinished(() => server.close());
  return server;
}

/** How many logs and snapshots there are: one of each when no compaction is in progress. */
async function generations(directory: string): Promise<{ readonly logs: number; readonly snapshots: number }> {
  const names = await readdir(directory);
  const count = (prefix: string): number => names.filter((name) => name.startsWith(prefix)).length;
  return { logs: count("log-"), snapshots: count("snapshot-") };
}

async function totalBytes(directory: string): Promise<number> {
  const sizes = await Promise.all((await readdir(directory)).map((name) => sizeOf(join(directory, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A file may be gone between listing and measuring: the compaction removes the old ones. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}
