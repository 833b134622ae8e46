import { createLogger } from "@antler/platform";

import { type MongoServer, startMongo } from "../../../test/harness/mongo.ts";
import { type Collections } from "../src/collections.ts";
import { connectMongo } from "../src/connect.ts";
import { connectStore, type Store } from "../src/index.ts";

/** One database of its own with any number of stores on it, each with a connection as another process would have. */
export interface StoreHarness {
  readonly server: MongoServer;
  readonly database: string;
  readonly store: Store;
  /** The bare collections, to see what is stored and to play a foreign writer. */
  readonly collections: Collections;
  connect(): Promise<Store>;
  stop(): Promise<void>;
}

export async function startStore(): Promise<StoreHarness> {
  const server = await startMongo();
  const database = server.newDatabase();
  const logger = createLogger({ service: "test", level: "fatal" });
  const closers: (() => Promise<void>)[] = [];
  const connect = async (): Promise<Store> => {
    const store = await connectStore({ url: server.url, database, logger });
    closers.push(() => store.close());
    return store;
  };
  const bare = await connectMongo({ url: server.url, database });
  closers.push(() => bare.close());
  const store = await connect();
  await store.migrate();
  const stop = async (): Promise<void> => {
    await Promise.all(closers.map((close) => close()));
    await server.stop();
  };
  return { server, database, store, collections: bare.collections, connect, stop };
}
