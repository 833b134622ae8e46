import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { NewRunEvent, RunEvent, RunView } from "@antler/contracts";

import {
  type Gateway,
  type GatewayStack,
  type LeadScript,
  startGatewayStack,
  SUCCESS,
  untilAborted,
  valuesEvent,
} from "../gateway-stack.ts";
import { call, collect, framesOf, newThread, post, type ReceivedFrame } from "../http-client.ts";
import { subagentEnd, subagentStart } from "../stream/events.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open();
  url = gateway.url;
});
beforeEach(() => stack.play(async () => SUCCESS));
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

async function stream(body: object = {}, on = url, signal?: AbortSignal): Promise<Response> {
  const threadId = await newThread(on);
  return post(`${on}/threads/${threadId}/runs/stream`, { assistant_id: "lead", ...body }, signal);
}

const eventsOf = (frames: readonly ReceivedFrame[]) => frames.map(({ event }) => event);
const pathOf = (response: Response) => response.headers.get("content-location") ?? "";

const asNew = ({ key, type, data }: RunEvent): NewRunEvent => ({ key, type, data });

async function writeLog({ emit }: LeadScript) {
  await emit(valuesEvent(1, { n: 1 }), asNew(subagentStart(1)), asNew(subagentEnd(1)), valuesEvent(2, { n: 2 }));
  return SUCCESS;
}

describe("a stream", () => {
  it("begins with metadata, shows the modes asked for, and ends", async () => {
    stack.play(writeLog);

    const response = await stream({ stream_mode: ["values", "custom"] });
    const frames = await collect(response);

    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": expect.stringContaining("text/event-stream") as string,
      "cache-control": expect.stringContaining("no-cache") as string,
      "x-accel-buffering": "no",
      location: expect.stringContaining("/stream?stream_mode=values&stream_mode=custom") as string,
      "x-trace-id": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    const [, threadId, runId] = /^\/threads\/(.+)\/runs\/(.+)$/.exec(pathOf(response)) ?? [];
    expect(frames).toMatchObject([
      { event: "metadata", data: { run_id: runId, thread_id: threadId, attempt: 1 } },
      { event: "values", data: { n: 1 }, id: "1" },
      { event: "custom", data: { type: "task_started", task_id: "call-1" }, id: "2" },
      { event: "custom", data: { type: "task_completed", task_id: "call-1", result: "done" }, id: "3" },
      { event: "values", data: { n: 2 }, id: "4" },
      { event: "end", data: { status: "success", stop_reason: "completed" }, id: "5" },
    ]);
  });

  it("shows values when no mode is asked for", async () => {
    stack.play(writeLog);

    expect(eventsOf(await collect(await stream()))).toEqual(["metadata", "values", "values", "end"]);
  });

  it("is resumed after the last id on another replica, which is sent no more", async () => {
    stack.play(writeLog);
    const first = await stream();
    await collect(first);
    await using replica = await stack.open();

    const byHeader = await fetch(`${replica.url}${pathOf(first)}/stream`, { headers: { "last-event-id": "1" } });
    const byQuery = await fetch(`${replica.url}${pathOf(first)}/stream?since=1&stream_mode=custom`);

    expect((await collect(byHeader)).map(({ event, id }) => [event, id])).toEqual([
      ["metadata", undefined],
      ["values", "4"],
      ["end", "5"],
    ]);
    expect((await collect(byQuery)).map(({ event, id }) => [event, id])).toEqual([
      ["metadata", undefined],
      ["custom", "2"],
      ["custom", "3"],
      ["end", "5"],
    ]);
  });

  it("ends also for a client that has everything already", async () => {
    const first = await stream();
    const id = (await collect(first)).at(-1)?.id ?? "";

    const resumed = await fetch(`${url}${pathOf(first)}/stream`, { headers: { "last-event-id": id } });

    expect((await collect(resumed)).slice(1)).toEqual([
      { event: "end", data: { status: "success", stop_reason: "completed" } },
    ]);
  });

  it("tells why the run failed", async () => {
    const error = { code: "model_failed", message: "no quota" } as const;
    stack.play(async () => ({ status: "error", stop_reason: "model_error", error, output: null }));

    expect((await collect(await stream())).slice(1)).toMatchObject([
      { event: "error", data: error },
      { event: "end", data: { status: "error", stop_reason: "model_error" } },
    ]);
  });

  it("sends events while the run goes on, and comments while nothing happens", async () => {
    const goOn = Promise.withResolvers<undefined>();
    stack.play(async ({ emit }) => {
      await emit(valuesEvent(1, { n: 1 }));
      await goOn.promise;
      return SUCCESS;
    });
    await using beating = await stack.open({ document: { streaming: { heartbeat_seconds: 0.1 } } });

    const frames = framesOf(await stream({}, beating.url));
    const seen: string[] = [];
    for await (const { event } of frames) {
      seen.push(event);
      if (event === ":" && seen.includes("values")) goOn.resolve(undefined);
    }

    expect(seen.indexOf(":")).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe("end");
  });

  it("sends token deltas without an id, and the rest of the message with one", async () => {
    const message = { type: "ai", id: "m1", content: "Hello you" };
    stack.play(async ({ emit, delta }) => {
      delta("m1", "Hello");
      await stack.deps.bus.flush();
      await emit({ key: "message:m1", type: "llm.ai.response", data: { message } });
      return SUCCESS;
    });

    const frames = await collect(await stream({ stream_mode: "messages-tuple" }));

    expect(frames.slice(1)).toMatchObject([
      { event: "messages", data: [{ content: "Hello", id: "m1" }, { langgraph_node: "model" }] },
      { event: "messages", data: [{ content: " you", id: "m1" }, {}], id: "1" },
      { event: "end" },
    ]);
    expect(frames[1]).not.toHaveProperty("id");
  });
});

describe("a client that leaves", () => {
  const statusOf = async (path: string) => (await call<RunView>(`${url}${path}`)).body.status;

  it.each([
    ["continue", "running"],
    ["cancel", "interrupted"],
  ])("with on_disconnect %s leaves the run %s", async (onDisconnect, status) => {
    stack.play(({ lease }) => untilAborted(lease));
    const leave = new AbortController();
    const response = await stream({ on_disconnect: onDisconnect }, url, leave.signal);
    await expect.poll(() => statusOf(pathOf(response))).toBe("running");

    leave.abort();

    await expect.poll(() => statusOf(pathOf(response)), { timeout: 10_000 }).toBe(status);
    await call(`${url}${pathOf(response)}/cancel?wait=1`, "POST");
  });

  it.each(["stream", "wait"])("while its run is being created is noticed (%s)", async (route) => {
    stack.play(({ lease }) => untilAborted(lease));
    const threadId = await newThread(url);
    const goOn = Promise.withResolvers<undefined>();
    const { threads } = stack.deps.store;
    const get: typeof threads.get = async (...names) => {
      await goOn.promise;
      return threads.get(...names);
    };
    await using slow = await stack.open({ deps: { threads: { ...threads, get } } });
    const requested = once(slow.app.server, "request") as Promise<[unknown, ServerResponse]>;
    const leave = new AbortController();
    const body = { assistant_id: "lead", on_disconnect: "cancel" };
    const answer = post(`${slow.url}/threads/${threadId}/runs/${route}`, body, leave.signal);
    const [, response] = await requested;
    const gone = once(response, "close");

    leave.abort();
    await Promise.all([gone, expect(answer).rejects.toThrow()]);
    goOn.resolve(undefined);

    const runs = async () => (await call<RunView[]>(`${url}/threads/${threadId}/runs`)).body;
    await expect.poll(runs, { timeout: 10_000 }).toMatchObject([{ status: "interrupted" }]);
    await expect.poll(() => openResponses(slow.url), { timeout: 10_000 }).toBe(0);
  });

  it("and stays but reads nothing is dropped, and resumes", async () => {
    const text = "x".repeat(200_000);
    const goOn = Promise.withResolvers<undefined>();
    stack.play(async ({ emit }) => {
      for (let n = 1; n <= 60; n += 1) await emit(valuesEvent(n, { n, text }));
      await goOn.promise;
      return SUCCESS;
    });
    await using small = await stack.open({ document: { streaming: { client_buffer_bytes: 1024 } } });
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    const path = `/threads/${threadId}/runs/${body.run_id}`;
    const socket = connect(Number(new URL(small.url).port), "127.0.0.1");
    socket.on("error", () => undefined).pause();
    socket.write(`GET ${path}/stream HTTP/1.1\r\nhost: x\r\n\r\n`);

    await expect.poll(() => openResponses(small.url), { timeout: 10_000 }).toBe(1);
    await expect.poll(() => openResponses(small.url), { timeout: 20_000 }).toBe(0);
    goOn.resolve(undefined);
    const resumed = await collect(await fetch(`${small.url}${path}/stream`, { headers: { "last-event-id": "58" } }));

    expect(eventsOf(resumed)).toEqual(["metadata", "values", "values", "end"]);
    socket.destroy();
  });
});

async function openResponses(on: string): Promise<number> {
  const text = await (await fetch(`${on}/metrics`)).text();
  return Number(/^antler_http_open_responses (\d+)$/m.exec(text)?.[1]);
}

describe("closing the gateway", () => {
  it("ends open streams with a reason and does not hang, and the run goes on", async () => {
    const goOn = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => goOn.promise);
    const closing = await stack.open();
    const response = await stream({ on_disconnect: "cancel" }, closing.url);
    const frames = framesOf(response);
    await frames.next();

    await closing.app.close();
    const last = await frames.next();
    goOn.resolve(SUCCESS);
    const resumed = await collect(await fetch(`${url}${pathOf(response)}/stream`));

    expect(last.value).toMatchObject({ event: "disconnect", data: { code: "shutting_down", last_event_id: null } });
    expect(eventsOf(resumed)).toEqual(["metadata", "end"]);
  });

  it("answers who waits for a cancelled run, and does not hang", async () => {
    const goOn = Promise.withResolvers<typeof SUCCESS>();
    const waiting = Promise.withResolvers<undefined>();
    stack.play(() => goOn.promise);
    const threadId = await newThread(url);
    const { body } = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    const ended = (_runId: string, signal: AbortSignal) => {
      waiting.resolve(undefined);
      return untilAborted({ signal });
    };
    const closing = await stack.open({ deps: (real) => ({ runs: { ...real.runs, ended } }) });
    const answer = call(`${closing.url}/threads/${threadId}/runs/${body.run_id}/cancel?wait=1`, "POST");
    await waiting.promise;

    await closing.app.close();

    expect(await answer).toMatchObject({ status: 503, body: { code: "shutting_down" } });
    goOn.resolve(SUCCESS);
  });

  it("answers waits with the reason", async () => {
    const goOn = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => goOn.promise);
    const closing = await stack.open();
    const threadId = await newThread(closing.url);

    const response = await post(`${closing.url}/threads/${threadId}/runs/wait`, { assistant_id: "lead" });
    await closing.app.close();

    expect(await response.json()).toMatchObject({ status: "pending", error: { code: "shutting_down" } });
    goOn.resolve(SUCCESS);
  });
});

it("refuses an id that is not of a stream", async () => {
  const first = await stream();
  await collect(first);

  const response = await fetch(`${url}${pathOf(first)}/stream`, { headers: { "last-event-id": "x" } });

  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ code: "invalid_request", errors: [{ path: "headers.last-event-id" }] });
});
