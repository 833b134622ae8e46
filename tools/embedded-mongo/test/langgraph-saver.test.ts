import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import { expect, it, onTestFinished } from "vitest";

import { startEmbeddedMongo } from "../src/index.ts";
import { connect } from "./connect.ts";

it("serves the LangGraph checkpointer: setup, put, writes, list, newest, delete", async () => {
  const server = await startEmbeddedMongo();
  onTestFinished(() => server.close());
  const client = await connect(server.url);
  const saver = new MongoDBSaver({ client, dbName: "graph" });
  await saver.setup();
  const thread = { configurable: { thread_id: "t1", checkpoint_ns: "" } };
  const first = await saver.put(thread, emptyCheckpoint(), { source: "input", step: -1, parents: {} });
  const second = await saver.put(first, emptyCheckpoint(), { source: "loop", step: 0, parents: {} });
  await saver.putWrites(second, [["channel", { value: 1 }]], "task-1");

  const newest = await saver.getTuple(thread);
  expect(newest?.config.configurable?.["checkpoint_id"]).toBe(second.configurable?.["checkpoint_id"]);
  expect(newest?.pendingWrites).toEqual([["task-1", "channel", { value: 1 }]]);
  expect(newest?.parentConfig?.configurable?.["checkpoint_id"]).toBe(first.configurable?.["checkpoint_id"]);
  const listed = await Array.fromAsync(saver.list(thread, { limit: 5 }));
  expect(listed).toHaveLength(2);
  await saver.deleteThread("t1");
  expect(await saver.getTuple(thread)).toBeUndefined();
});
