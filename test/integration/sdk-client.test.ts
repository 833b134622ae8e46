import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { says } from "../harness/model-server.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

let stack: ServiceStack;
let client: Client;
let answers = 0;

beforeAll(async () => {
  stack = await startServiceStack({
    answer: () => says(`Answer ${(answers += 1)}`),
    services: { "subagent-runner": 0 },
  });
  client = new Client({ apiUrl: stack.url, callerOptions: { maxRetries: 0 } });
});
afterAll(() => stack.stop());

const input = (content: string) => ({ input: { messages: [{ role: "user", content }] } });

interface Values {
  readonly messages: readonly { readonly type: string; readonly content: string }[];
}

const said = ({ messages }: Values) => messages.map(({ content }) => content);

describe("a run without a thread, asked for by the client of LangGraph", () => {
  it("is answered when it ends, on a thread of its own", async () => {
    let threadId = "";
    const onRunCreated = (run: { thread_id?: string }) => void (threadId = run.thread_id ?? "");
    const values = (await client.runs.wait(null, "lead", { ...input("Hello"), onRunCreated })) as unknown as Values;

    expect(said(values)).toEqual(["Hello", expect.stringMatching(/^Answer/)]);
    expect(said((await client.threads.getState<Values>(threadId)).values)).toEqual(said(values));
  });

  it("is streamed, metadata first", async () => {
    const frames: { event: string; data: unknown }[] = [];
    for await (const frame of client.runs.stream(null, "lead", { ...input("Hello"), streamMode: "values" }))
      frames.push(frame);

    expect(frames[0]).toMatchObject({ event: "metadata", data: { run_id: expect.any(String) as string } });
    expect(said(frames.filter(({ event }) => event === "values").at(-1)?.data as Values)).toHaveLength(2);
  });

  it("is created, and looked up by its thread", async () => {
    const run = await client.runs.create(null, "lead", input("Hello"));
    await client.runs.join(run.thread_id, run.run_id);

    expect(await client.runs.get(run.thread_id, run.run_id)).toMatchObject({ status: "success" });
  });

  it("fails by name when it has no input, and its thread nothing to go on from", async () => {
    const { thread_id, run_id } = await client.runs.create(null, "lead", {});
    await client.runs.join(thread_id, run_id);

    expect(await client.runs.get(thread_id, run_id)).toMatchObject({
      status: "error",
      error: { code: "invalid_request", message: expect.stringContaining("input.messages") as string },
    });
  });

  it("is the same run when its key comes again, and none of another key, thread or body", async () => {
    const post = async (path: string, key: string, content: string) => {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify({ assistant_id: "lead", if_not_exists: "create", ...input(content) });
      const response = await fetch(`${stack.url}${path}`, { method: "POST", headers, body });
      return { status: response.status, ...((await response.json()) as { run_id?: string; code?: string }) };
    };
    const first = await post("/runs", "key", "Hello");

    expect(await post("/runs", "key", "Hello")).toMatchObject({ run_id: first.run_id });
    expect(await post("/runs", "key", "Goodbye")).toMatchObject({ status: 409, code: "idempotency_key_reused" });
    expect((await post("/runs", "other", "Hello")).run_id).not.toBe(first.run_id);
    expect((await post("/threads/of-its-own/runs", "key", "Hello")).run_id).not.toBe(first.run_id);
  });
});

describe("the states of a thread, asked for by the client of LangGraph", () => {
  it("are its history, newest first, in pages", async () => {
    const { thread_id: threadId } = await client.threads.create();
    expect(await client.threads.getHistory(threadId)).toEqual([]);
    await client.runs.wait(threadId, "lead", input("One"));
    await client.runs.wait(threadId, "lead", input("Two"));

    const all = await client.threads.getHistory<Values>(threadId, { limit: 100 });
    expect(said(all[0]!.values)).toHaveLength(4);
    expect(said(all.at(-1)!.values)).toHaveLength(2);
    expect(all[0]?.parent_checkpoint).toEqual(all[1]?.checkpoint);

    const before = { configurable: { ...all[0]!.checkpoint } };
    const page = await client.threads.getHistory<Values>(threadId, { limit: 2, before });
    expect(page).toEqual(all.slice(1, 3));
    expect(await client.threads.getHistory(threadId, { limit: 1, checkpoint: all[1]!.checkpoint })).toEqual([all[1]]);
  });

  it("are read at a checkpoint by its id or its reference; an unknown one is not found", async () => {
    const { thread_id: threadId } = await client.threads.create();
    await client.runs.wait(threadId, "lead", input("One"));
    const [, earlier] = await client.threads.getHistory(threadId);
    const id = earlier!.checkpoint.checkpoint_id!;

    expect(await client.threads.getState(threadId, id)).toEqual(earlier);
    expect(await client.threads.getState(threadId, earlier!.checkpoint)).toEqual(earlier);
    await expect(client.threads.getState(threadId, "none")).rejects.toMatchObject({ status: 404 });
    const other = await client.threads.create();
    await expect(client.threads.getState(other.thread_id, id)).rejects.toMatchObject({ status: 404 });
  });

  it("are not filtered by metadata: that is refused by name", async () => {
    const { thread_id: threadId } = await client.threads.create();
    const asked = client.threads.getHistory(threadId, { metadata: { source: "loop" } });
    await expect(asked).rejects.toMatchObject({ status: 422 });
  });
});

describe("the metadata of a thread, changed by the client of LangGraph", () => {
  it("gets the given keys and keeps the others, whatever their names are", async () => {
    const { thread_id: threadId } = await client.threads.create({ metadata: { a: 1, b: { c: 2 } } });
    const metadata = { b: 3, "x.y": "$a", $set: { a: 9 } };

    const changed = await client.threads.update(threadId, { metadata });
    expect(changed.metadata).toMatchObject({ a: 1, ...metadata });
    expect(await client.threads.get(threadId)).toMatchObject({ metadata: changed.metadata });
    await expect(client.threads.update("unknown", { metadata })).rejects.toMatchObject({ status: 404 });
  });
});
