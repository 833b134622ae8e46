import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { RunView, TaskView } from "@antler/contracts";

import { aTaskDraft } from "../../../../test/harness/rows.ts";
import {
  type Gateway,
  type GatewayStack,
  startGatewayStack,
  SUCCESS,
  untilAborted,
  valuesEvent,
} from "../gateway-stack.ts";
import { call, newThread, post } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open({
    document: { models: [{ name: "big", provider: "openai", model: "gpt" }], streaming: { heartbeat_seconds: 0.1 } },
  });
  url = gateway.url;
});
beforeEach(() => stack.play(async () => SUCCESS));
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

async function ended(threadId: string, runId: string): Promise<RunView> {
  const path = `${url}/threads/${threadId}/runs/${runId}`;
  await expect.poll(async () => (await call<RunView>(path)).body.ended_at, { timeout: 10_000 }).not.toBeNull();
  return (await call<RunView>(path)).body;
}

describe("threads", () => {
  it("are created with an id of ours or of the client", async () => {
    const own = await call(`${url}/threads`, "POST", { metadata: { a: 1 } });
    const given = await call(`${url}/threads`, "POST", { thread_id: "my-thread" });

    expect(own).toMatchObject({ status: 200, body: { status: "idle", values: null, metadata: { a: 1 } } });
    expect(given.body).toMatchObject({ thread_id: "my-thread" });
  });

  it("exist once, unless the client does not mind", async () => {
    await call(`${url}/threads`, "POST", { thread_id: "twice", metadata: { a: 1 } });

    const raised = await call(`${url}/threads`, "POST", { thread_id: "twice" });
    const kept = await call(`${url}/threads`, "POST", { thread_id: "twice", if_exists: "do_nothing" });

    expect(raised).toMatchObject({ status: 409, body: { code: "thread_exists" } });
    expect(kept).toMatchObject({ status: 200, body: { metadata: { a: 1 } } });
  });

  it("have a state without values before their first run", async () => {
    const threadId = await newThread(url);

    expect((await call(`${url}/threads/${threadId}/state`)).body).toMatchObject({
      values: {},
      next: [],
      checkpoint: null,
    });
  });
});

describe("runs", () => {
  it("are created, executed and shown", async () => {
    const threadId = await newThread(url);

    const created = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", {
      assistant_id: "lead",
      input: { messages: [{ role: "user", content: "hi" }] },
      metadata: { m: 1 },
    });
    const run = await ended(threadId, created.body.run_id);

    expect(created).toMatchObject({
      status: 200,
      body: { status: "pending", thread_id: threadId, metadata: { m: 1 } },
    });
    expect(created.headers.get("content-location")).toBe(`/threads/${threadId}/runs/${run.run_id}`);
    expect(created.headers.get("x-trace-id")).toBe(run.trace_id);
    expect(run).toMatchObject({
      status: "success",
      stop_reason: "completed",
      attempts: 1,
      pid: process.pid,
      usage: null,
    });
    expect((await call(`${url}/runs/${run.run_id}`)).body).toMatchObject({ run_id: run.run_id });
  });

  it("may bring their thread into being", async () => {
    const body = { assistant_id: "lead", if_not_exists: "create" };

    expect(await call(`${url}/threads/brought/runs`, "POST", body)).toMatchObject({ status: 200 });
    expect(await call(`${url}/threads/brought`)).toMatchObject({ status: 200 });
  });

  it("that are refused leave no thread behind", async () => {
    const body = { assistant_id: "other", if_not_exists: "create" };

    expect(await call(`${url}/threads/refused/runs`, "POST", body)).toMatchObject({
      status: 404,
      body: { code: "assistant_not_found" },
    });
    expect(await call(`${url}/threads/refused`)).toMatchObject({ status: 404, body: { code: "thread_not_found" } });
  });

  it("hold their thread, one at a time", async () => {
    const done = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => done.promise);
    const threadId = await newThread(url);

    const first = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    const second = await call(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });

    expect(second).toMatchObject({ status: 409, body: { code: "thread_busy" } });
    expect((await call(`${url}/threads/${threadId}`)).body).toMatchObject({ status: "busy" });
    done.resolve(SUCCESS);
    await ended(threadId, first.body.run_id);
    expect((await call(`${url}/threads/${threadId}`)).body).toMatchObject({ status: "idle" });
  });

  it("are listed newest first, page by page", async () => {
    const threadId = await newThread(url);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
      await ended(threadId, body.run_id);
      ids.push(body.run_id);
    }

    const page = await call<RunView[]>(`${url}/threads/${threadId}/runs?limit=2`);
    const rest = await call<RunView[]>(`${url}/threads/${threadId}/runs?limit=2&offset=2`);

    expect(page.body.map((run) => run.run_id)).toEqual([ids[2], ids[1]]);
    expect(page.headers.get("x-pagination-next")).toBe("2");
    expect(rest.body.map((run) => run.run_id)).toEqual([ids[0]]);
    expect(rest.headers.get("x-pagination-next")).toBeNull();
  });
});

describe("waiting", () => {
  it("answers with the final values, kept alive by white space", async () => {
    const done = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => done.promise);
    const threadId = await newThread(url);

    const response = await post(`${url}/threads/${threadId}/runs/wait`, { assistant_id: "lead" });
    const parts: string[] = [];
    for await (const chunk of response.body ?? []) {
      parts.push(Buffer.from(chunk as Uint8Array).toString());
      done.resolve(SUCCESS);
    }

    expect(parts[0]).toBe("\n");
    expect(JSON.parse(parts.join(""))).toEqual({ answer: 42 });
    expect(response.headers.get("content-location")).toMatch(/^\/threads\/.+\/runs\/.+/);
  });

  it("answers with status and error of a run that failed, also to who joins later", async () => {
    const error = { code: "model_failed", message: "no quota" } as const;
    stack.play(async () => ({ status: "error", stop_reason: "model_error", error, output: null }));
    const threadId = await newThread(url);

    const waited = await call(`${url}/threads/${threadId}/runs/wait`, "POST", { assistant_id: "lead" });
    const [run] = (await call<RunView[]>(`${url}/threads/${threadId}/runs`)).body;
    const joined = await call(`${url}/threads/${threadId}/runs/${run?.run_id}/join`);

    expect(waited.body).toEqual({
      status: "error",
      stop_reason: "model_error",
      error,
      __error__: { error: "model_failed", message: "no quota" },
    });
    expect(joined.body).toEqual(waited.body);
  });
});

describe("cancelling", () => {
  it("answers 202, or 204 once the run has ended, and again", async () => {
    stack.play(({ lease }) => untilAborted(lease));
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    const path = `${url}/threads/${threadId}/runs/${body.run_id}`;

    const headers = { "content-type": "application/json" };
    expect(await fetch(`${path}/cancel`, { method: "POST", headers })).toMatchObject({ status: 202 });
    expect(await call(`${path}/cancel`, "POST")).toMatchObject({ status: 202 });
    expect(await call(`${path}/cancel?wait=1`, "POST")).toMatchObject({ status: 204 });
    expect((await call(path)).body).toMatchObject({ status: "interrupted", stop_reason: "cancelled" });
    expect(await call(`${path}/cancel?wait=true`, "POST")).toMatchObject({ status: 204 });
  });

  it("is refused once the run has ended in another way", async () => {
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    await ended(threadId, body.run_id);

    expect(await call(`${url}/threads/${threadId}/runs/${body.run_id}/cancel`, "POST")).toMatchObject({
      status: 409,
      body: { code: "run_not_cancellable", status: 409 },
    });
  });

  it.each(["cancel", "cancel?wait=1"])("does not find an unknown run (%s)", async (suffix) => {
    const threadId = await newThread(url);

    expect(await call(`${url}/threads/${threadId}/runs/nope/${suffix}`, "POST")).toMatchObject({
      status: 404,
      body: { code: "run_not_found" },
    });
  });
});

describe("records", () => {
  it("are the events, filtered and page by page", async () => {
    stack.play(async ({ emit }) => {
      await emit(valuesEvent(1, { n: 1 }), valuesEvent(2, { n: 2 }));
      return SUCCESS;
    });
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    await ended(threadId, body.run_id);
    const path = `${url}/runs/${body.run_id}/events`;
    await expect.poll(async () => (await call<unknown[]>(path)).body).toHaveLength(3);

    const page = await call<unknown[]>(`${path}?after_seq=1&limit=1`);
    const ends = await call<unknown[]>(`${url}/threads/${threadId}/runs/${body.run_id}/events?event_types=run.end`);

    expect(page.body).toMatchObject([{ seq: 2, type: "stream.values", thread_id: threadId }]);
    expect(ends.body).toMatchObject([{ seq: 3, type: "run.end", data: { status: "success" } }]);
    expect(await call(`${path}?event_types=nope`)).toMatchObject({
      status: 422,
      body: { code: "invalid_request", errors: [{ path: "query.event_types" }] },
    });
  });

  it("are the tasks with what they used", async () => {
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    await ended(threadId, body.run_id);
    const draft = aTaskDraft({ run_id: body.run_id, thread_id: threadId });
    const { store } = stack.deps;
    const task = await store.tasks.insert(draft);
    const usage = { input_tokens: 2, output_tokens: 3, total_tokens: 5 };
    await store.usage.record([
      {
        key: `${task._id}:1:1`,
        run_id: body.run_id,
        task_id: task._id,
        caller: "subagent:bash",
        model_name: "m",
        ...usage,
      },
    ]);

    const tasks = await call<TaskView[]>(`${url}/runs/${body.run_id}/tasks`);

    expect(tasks.body).toMatchObject([{ task_id: task._id, status: "pending", attempts: 0, steps: 0, usage }]);
    expect((await call(`${url}/runs/${body.run_id}`)).body).toMatchObject({ usage });
  });
});
