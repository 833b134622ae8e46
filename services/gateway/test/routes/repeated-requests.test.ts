import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { RunView } from "@antler/contracts";
import { newId } from "@antler/platform";
import { inFlight, type RunDraft } from "@antler/store";

import { aRunDraft } from "../../../../test/harness/rows.ts";
import { type Gateway, type GatewayStack, startGatewayStack, SUCCESS, untilAborted } from "../gateway-stack.ts";
import { call, collect, newThread } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;
let executions: string[];

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open({ document: { runs: { max_model_calls: 7 } } });
  url = gateway.url;
});
beforeEach(() => {
  executions = [];
  stack.play(async ({ run }) => {
    executions.push(run._id);
    return SUCCESS;
  });
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

const BODY = { assistant_id: "lead", input: { messages: [] }, metadata: { a: 1, b: 2 } };

interface Keyed {
  readonly key: string;
  readonly body?: object;
  readonly route?: "" | "/stream" | "/wait";
  readonly url?: string;
}

function send(threadId: string, { key, body = BODY, route = "", url: base = url }: Keyed): Promise<Response> {
  return fetch(`${base}/threads/${threadId}/runs${route}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });
}

async function runIn(response: Response): Promise<{ runId: string; isReplayed: boolean }> {
  expect(response.status).toBe(200);
  const { run_id: runId } = (await response.json()) as RunView;
  return { runId, isReplayed: response.headers.get("idempotency-replayed") === "true" };
}

/** What a run was when it was accepted; the rest of its view changes while it is executed. */
function accepted({ run_id, thread_id, created_at, metadata, kwargs, trace_id }: RunView) {
  return { run_id, thread_id, created_at, metadata, kwargs, trace_id };
}

const ENDED = { status: "success", fields: {}, owed: [] };

function withoutLock({ lock: _lock, ...draft }: RunDraft): RunDraft {
  return draft;
}

describe("FC-A32 a request that is repeated with its Idempotency-Key", () => {
  it("gets the first run, while it holds the thread and after its end, whatever the order of the fields", async () => {
    const threadId = await newThread(url);
    stack.play(({ run, lease }) => {
      executions.push(run._id);
      return untilAborted(lease);
    });
    const first = await runIn(await send(threadId, { key: "k1" }));
    const during = await runIn(await send(threadId, { key: " k1 " }));
    await call(`${url}/threads/${threadId}/runs/${first.runId}/cancel?wait=true`, "POST");
    const after = await runIn(
      await send(threadId, {
        key: "k1",
        body: { metadata: { b: 2, a: 1 }, input: { messages: [] }, assistant_id: "lead" },
      }),
    );

    expect(first.isReplayed).toBe(false);
    expect([during, after]).toEqual(Array(2).fill({ runId: first.runId, isReplayed: true }));
    const { body: runs } = await call<RunView[]>(`${url}/threads/${threadId}/runs`);
    expect(runs).toHaveLength(1);
  });

  it("FC-E04 is one run with 20 equal answers when it is sent 20 times at once, also to several gateways", async () => {
    await using other = await stack.open();
    const threadId = newId();
    const body = { ...BODY, if_not_exists: "create" };
    const urls = Array.from({ length: 20 }, (_value, index) => (index % 2 === 0 ? url : other.url));

    const answers = await Promise.all(urls.map((each) => send(threadId, { key: "together", body, url: each })));

    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
    const isFirst = answers.filter(({ headers }) => headers.get("idempotency-replayed") === null);
    expect(isFirst).toHaveLength(1);
    const runs = await Promise.all(answers.map(async (answer) => accepted((await answer.json()) as RunView)));
    expect(runs).toEqual(runs.map(() => runs[0]));
    await expect.poll(() => executions, { timeout: 10_000 }).toEqual([runs[0]?.run_id]);
    expect((await call<RunView[]>(`${url}/threads/${threadId}/runs`)).body).toHaveLength(1);
  });

  it("FC-E04 is one record by an index of the store, also when nothing else holds the thread", async () => {
    const { runs } = stack.deps.store;
    const drafts = Array.from({ length: 20 }, () => withoutLock(aRunDraft({ thread_id: "t", idempotency: "same" })));

    const insertions = await Promise.all(drafts.map((draft) => runs.insert(draft)));

    const stored = await runs.byIdempotency("same");
    expect(insertions.filter(({ kind }) => kind === "inserted")).toHaveLength(1);
    for (const insertion of insertions) expect(insertion).toMatchObject({ run: { _id: stored?._id } });
    expect(await runs.count({ idempotency: "same" }, 100)).toBe(1);
  });

  it("is not refused for the place that its own first sending takes", async () => {
    await using small = await stack.open({ document: { delivery: { max_in_flight_per_tenant: 1 } } });
    await expect.poll(() => stack.deps.store.runs.count(inFlight("default"), 10)).toBe(1);
    await stack.deps.store.runs.force((await stack.deps.store.runs.byIdempotency("same"))!._id, {}, ENDED);
    const threadId = await newThread(small.url);

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send(threadId, { key: "small", url: small.url })),
    );

    const ids = await Promise.all(answers.map(async (answer) => (await runIn(answer)).runId));
    expect(new Set(ids).size).toBe(1);
  });

  it("gets the first run's frames and values from the other routes", async () => {
    const threadId = await newThread(url);
    const { runId } = await runIn(await send(threadId, { key: "k" }));

    const waited = await send(threadId, { key: "k", route: "/wait" });
    const streamed = await send(threadId, { key: "k", route: "/stream" });

    expect(await waited.json()).toEqual({ answer: 42 });
    expect(waited.headers.get("idempotency-replayed")).toBe("true");
    const frames = await collect(streamed);
    expect(streamed.headers.get("idempotency-replayed")).toBe("true");
    expect(frames[0]).toMatchObject({ event: "metadata", data: { run_id: runId } });
    expect(frames.at(-1)).toMatchObject({ event: "end" });
    expect(executions).toEqual([runId]);
  });

  it("is refused with another body, and counts on its thread alone", async () => {
    const [threadId, other] = [await newThread(url), await newThread(url)];
    const first = await runIn(await send(threadId, { key: "k" }));

    const reused = await send(threadId, { key: "k", body: { ...BODY, metadata: {} } });
    const elsewhere = await runIn(await send(other, { key: "k" }));

    expect(reused.status).toBe(409);
    expect(await reused.json()).toMatchObject({ code: "idempotency_key_reused" });
    expect(elsewhere).toMatchObject({ isReplayed: false });
    expect(elsewhere.runId).not.toBe(first.runId);
  });

  it.each([
    ["of spaces", "  "],
    ["of 256 characters", "k".repeat(256)],
  ])("is refused with a key %s", async (_what, key) => {
    const refused = await send(await newThread(url), { key });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ errors: [{ path: "headers.idempotency-key" }] });
  });

  it("takes a key of 255 characters", async () => {
    expect(await runIn(await send(await newThread(url), { key: "k".repeat(255) }))).toMatchObject({
      isReplayed: false,
    });
  });
});

describe("FC-C09 the limit of a run's model calls", () => {
  it.each([
    ["the configuration's without a wish", {}, 7],
    ["the configuration's when more is asked for", { recursion_limit: 12 }, 7],
    ["the request's when it asks for less", { recursion_limit: 3 }, 3],
  ])("is %s, and stands in the run's record", async (_case, config, limit) => {
    const threadId = await newThread(url);
    const created = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", { ...BODY, config });
    const read = await call<RunView>(`${url}/runs/${created.body.run_id}`);

    expect(created.body.max_model_calls).toBe(limit);
    expect(read.body).toMatchObject({ max_model_calls: limit, kwargs: { config } });
  });
});

describe("an answer to a question that nobody asked", () => {
  it("is refused, and so is one beside input", async () => {
    const threadId = await newThread(url);
    const runs = `${url}/threads/${threadId}/runs`;
    const command = { resume: "yes" };

    expect(await call(runs, "POST", { assistant_id: "lead", command })).toMatchObject({
      status: 409,
      body: { code: "nothing_to_resume" },
    });
    expect(await call(runs, "POST", { assistant_id: "lead", command, input: { messages: [] } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "input" }] },
    });
    expect(await call(runs, "POST", { assistant_id: "lead", command: {} })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "command.resume" }] },
    });
    expect((await call<unknown[]>(runs)).body).toEqual([]);
  });

  it("leaves no thread behind", async () => {
    const body = { assistant_id: "lead", command: { resume: "yes" }, if_not_exists: "create" };

    expect(await call(`${url}/threads/never-asked/runs`, "POST", body)).toMatchObject({
      status: 409,
      body: { code: "nothing_to_resume" },
    });
    expect(await call(`${url}/threads/never-asked`)).toMatchObject({ status: 404 });
  });
});
