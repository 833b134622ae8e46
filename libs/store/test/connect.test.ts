import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { inspect } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createLogger, newId } from "@antler/platform";

import { connectStore } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;

beforeAll(async () => {
  harness = await startStore();
});
afterAll(() => harness.stop());

const logger = createLogger({ service: "test", level: "fatal" });
const connectTo = (url: string, connectTimeoutMs = 300) =>
  connectStore({ url, database: "antler_test", logger, connectTimeoutMs });
const failureOf = (url: string): Promise<unknown> => connectTo(url).catch((error: unknown) => error);

/** A server that accepts and never answers. */
async function startMute(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as { port: number }).port, close };
}

describe("connectStore", () => {
  it("tells an unreachable server by the variable and the address, without the password", async () => {
    const error = await failureOf("mongodb://user:s3cret%2Fword@127.0.0.1:1/?authSource=admin");
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(String(error)).toContain("MONGODB_URL");
    expect(String(error)).toContain("127.0.0.1:1");
    expect(inspect(error, { depth: 10 })).not.toMatch(/s3cret/);
  });

  it("gives up on a server that never answers", async () => {
    const mute = await startMute();
    const error = await failureOf(`mongodb://127.0.0.1:${mute.port}/?directConnection=true`);
    await mute.close();
    expect(error).toMatchObject({ code: "store_unavailable" });
  });

  it.each([
    "http://127.0.0.1",
    "mongodb://user:p@ss:w0rd@127.0.0.1:1",
    "nonsense",
    "mongodb://a:s3cret@127.0.0.1/?x=y",
  ])("tells a string that is no connection string: %s", async (url) => {
    const error = await failureOf(url);
    expect(error).toMatchObject({ code: "config_invalid" });
    expect(String(error)).toContain("MONGODB_URL");
    expect(inspect(error, { depth: 10 })).not.toMatch(/s3cret|w0rd/);
  });

  it("pings, and answers store_unavailable once it is closed", async () => {
    const store = await harness.connect();
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
    await expect(store.ping()).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(store.events.lastSeq(newId())).rejects.toMatchObject({ code: "store_unavailable" });
  });
});

describe("migrate", () => {
  it("is safe in several processes at once and repeatable", async () => {
    const database = harness.server.newDatabase();
    const connect = () => connectStore({ url: harness.server.url, database, logger });
    const stores = await Promise.all([connect(), connect(), connect(), connect()]);
    await Promise.all(stores.map((store) => store.migrate()));
    await expect(stores[0].migrate()).resolves.toBeUndefined();
    await Promise.all(stores.map((store) => store.close()));
  });

  it("calls the checkpointer's own setup, beside our stricter indexes", async () => {
    const names = (await harness.collections.checkpoints.indexes()).map(({ name }) => name);

    expect(names).toContain("thread_ns_checkpoint_idx");
  });

  it("makes the indexes that the guarantees rest on unique", async () => {
    const uniqueKeys = async (name: keyof StoreHarness["collections"]) =>
      (await harness.collections[name].indexes()).filter(({ unique }) => unique === true).map(({ key }) => key);
    expect(await uniqueKeys("runs")).toEqual([{ lock: 1 }, { thread_id: 1, turn: -1 }, { idempotency: 1 }]);
    expect(await uniqueKeys("tasks")).toEqual([{ run_id: 1, call_id: 1 }]);
    expect(await uniqueKeys("events")).toEqual([
      { run_id: 1, seq: 1 },
      { run_id: 1, key: 1 },
    ]);
    expect(await uniqueKeys("checkpoints")).toEqual([{ thread_id: 1, checkpoint_ns: 1, checkpoint_id: 1 }]);
    expect(await uniqueKeys("checkpointWrites")).toHaveLength(1);
  });
});
