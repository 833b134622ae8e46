import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { DeadLetterView, RunView } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { DeadLetterDraft } from "@antler/store";

import { aRunDraft } from "../../../../test/harness/rows.ts";
import { type Gateway, type GatewayStack, startGatewayStack, SUCCESS } from "../gateway-stack.ts";
import { call, newThread } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;
let executed: string[];

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open();
  url = gateway.url;
});
beforeEach(async () => {
  executed = [];
  stack.play(async ({ run }) => {
    executed.push(run._id);
    return SUCCESS;
  });
  const { deadLetters } = stack.deps.store;
  for (const { _id } of await deadLetters.list({ limit: 100 })) await deadLetters.discard(_id);
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

async function recorded(given: Partial<DeadLetterDraft> = {}): Promise<string> {
  const letter: DeadLetterDraft = {
    _id: newId(),
    tenant_id: null,
    stream: "RUNS",
    subject: "runs.interactive",
    reason: "Ticket is malformed: not JSON",
    payload: "no ticket",
    headers: { "Nats-Msg-Id": "a:1" },
    row_id: null,
    ...given,
  };
  await stack.deps.store.deadLetters.record(letter);
  return letter._id;
}

/** The letter of a run that was accepted and then ended because its message could not be read. */
async function buriedRun(): Promise<{ letterId: string; runId: string; threadId: string }> {
  const threadId = await newThread(url);
  const draft = aRunDraft({ thread_id: threadId });
  await stack.deps.store.runs.insert(draft);
  stack.deps.bus.signal("runs.interactive", { id: draft._id, what: "no ticket" });
  const letters = () => call<DeadLetterView[]>(`${url}/deadletters`);
  const own = async () => (await letters()).body.find(({ row_id }) => row_id === draft._id);
  await expect.poll(own).toBeDefined();
  await expect.poll(async () => (await call<RunView>(`${url}/runs/${draft._id}`)).body.status).toBe("error");
  return { letterId: (await own())!.dead_letter_id, runId: draft._id, threadId };
}

describe("dead letters", () => {
  it("are listed newest first, page by page, and stay where they are", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift(await recorded({ _id: `letter-${index}-${newId()}` }));

    const read: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Awaited<ReturnType<typeof call<DeadLetterView[]>>> = await call<DeadLetterView[]>(
        `${url}/deadletters?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      read.push(...page.body.map(({ dead_letter_id: id }) => id));
      cursor = page.headers.get("x-pagination-next");
    }

    expect(read).toEqual(ids);
    expect((await call<unknown[]>(`${url}/deadletters`)).body).toHaveLength(5);
  });

  it.each(["%20", "bm90LWpzb24", Buffer.from("[1]").toString("base64url")])(
    "are not listed from a cursor that is none: %s",
    async (cursor) => {
      expect(await call(`${url}/deadletters?cursor=${cursor}`)).toMatchObject({
        status: 422,
        body: { code: "invalid_request", errors: [{ path: "query.cursor" }] },
      });
    },
  );

  it("are shown one by one, and discarded once", async () => {
    const id = await recorded();
    const path = `${url}/deadletters/${id}`;

    expect((await call(path)).body).toEqual({
      dead_letter_id: id,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      stream: "RUNS",
      subject: "runs.interactive",
      reason: "Ticket is malformed: not JSON",
      payload: "no ticket",
      headers: { "Nats-Msg-Id": "a:1" },
      row_id: null,
      retried_run_id: null,
      retried_at: null,
    });
    expect((await call(path, "DELETE")).status).toBe(204);
    for (const again of [call(path, "DELETE"), call(path), call(`${path}/retry`, "POST")])
      expect(await again).toMatchObject({ status: 404, body: { code: "dead_letter_not_found" } });
  });

  it("of another tenant do not exist", async () => {
    const path = `${url}/deadletters/${await recorded({ tenant_id: "another" })}`;

    for (const answer of [call(path), call(path, "DELETE"), call(`${path}/retry`, "POST")])
      expect(await answer).toMatchObject({ status: 404, body: { code: "dead_letter_not_found" } });
    expect((await call(`${url}/deadletters`)).body).toEqual([]);
  });

  it("are retried once, also by requests at the same moment, and the work is done", async () => {
    const { letterId, runId, threadId } = await buriedRun();
    const path = `${url}/deadletters/${letterId}`;

    const answers = await Promise.all([1, 2, 3].map(() => call<RunView>(`${path}/retry`, "POST")));

    const ids = new Set(answers.map(({ body }) => body.run_id));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ids.size).toBe(1);
    const [id] = ids;
    expect(answers[0]?.headers.get("content-location")).toBe(`/threads/${threadId}/runs/${id}`);
    expect((await call(`${url}/threads/${threadId}/runs/${id}/join`)).body).toEqual({ answer: 42 });
    expect(executed).toEqual([id]);
    expect((await call(path)).body).toMatchObject({ row_id: runId, retried_run_id: id });
    expect((await call<RunView[]>(`${url}/threads/${threadId}/runs`)).body).toHaveLength(2);
  });

  it("that cannot be retried say so with what to do", async () => {
    expect(await call(`${url}/deadletters/${await recorded()}/retry`, "POST")).toMatchObject({
      status: 409,
      body: {
        code: "dead_letter_not_retryable",
        detail: expect.stringContaining("send the request again, and discard it") as string,
      },
    });
  });

  it("are counted by stream until somebody took care of them", async () => {
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    const id = await recorded();
    await recorded({ stream: "TASKS" });

    expect(await metrics()).toMatch(
      /^antler_dead_letters\{stream="RUNS"\} 1\nantler_dead_letters\{stream="TASKS"\} 1$/m,
    );
    await call(`${url}/deadletters/${id}`, "DELETE");
    expect(await metrics()).toMatch(/^antler_dead_letters\{stream="RUNS"\} 0$/m);
  });

  it("are left out of the metrics while the store does not answer", async () => {
    await using cut = await stack.open({
      deps: ({ deadLetters }) => ({ deadLetters: { ...deadLetters, countOpen: () => new Promise(() => undefined) } }),
    });

    const text = await (await fetch(`${cut.url}/metrics`)).text();

    expect(text).not.toContain("antler_dead_letters");
    expect(text).toContain("process_resident_memory_bytes");
  });
});
