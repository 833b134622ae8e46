import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { RunView } from "@antler/contracts";
import { newId } from "@antler/platform";

import { aRunDraft } from "../../../../test/harness/rows.ts";
import { type GatewayStack, startGatewayStack, SUCCESS } from "../gateway-stack.ts";
import { call } from "../http-client.ts";

let stack: GatewayStack;
let release: (() => void)[];

beforeAll(async () => {
  stack = await startGatewayStack();
  release = [];
  stack.play(async () => {
    await new Promise<void>((resolve) => release.push(resolve));
    return SUCCESS;
  });
});
afterEach(() => release.splice(0).forEach((open) => open()));
afterAll(() => stack.stop());

const BODY = { assistant_id: "lead", input: { messages: [] }, if_not_exists: "create" };

const create = (url: string, threadId: string, body: object = {}) =>
  call<RunView & { code: string }>(`${url}/threads/${threadId}/runs`, "POST", { ...BODY, ...body });

describe("a create beyond a limit", () => {
  it("of the queue is 429 with the time after which to come again, and leaves no thread", async () => {
    await using full = await stack.open({ document: { delivery: { max_queued: 1 } } });
    await stack.deps.store.runs.insert(aRunDraft({ lane: "batch", tenant_id: "another" }));

    const refused = await create(full.url, "never-queued", { lane: "batch" });

    expect(refused).toMatchObject({
      status: 429,
      body: { code: "queue_full", limit: "delivery.max_queued", retry_after: 2 },
    });
    expect(refused.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(await call(`${full.url}/threads/never-queued`)).toMatchObject({ status: 404 });
  });

  it("of the tenant's runs in flight is 429 with its name, until one of them has ended", async () => {
    await using small = await stack.open({ document: { delivery: { max_in_flight_per_tenant: 2 } } });
    const threads = Array.from({ length: 12 }, () => newId());

    const answers = await Promise.all(threads.map((threadId) => create(small.url, threadId)));

    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(2);
    const refused = answers.flatMap((answer, index) => (answer.status === 200 ? [] : [{ ...answer, index }]));
    for (const { status, headers, body, index } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 429, code: "tenant_limit_reached" });
      expect(body).toMatchObject({ limit: "delivery.max_in_flight_per_tenant" });
      expect(headers.get("retry-after")).toBe("2");
      expect(await call(`${small.url}/threads/${threads[index]}`)).toMatchObject({ status: 404 });
    }
    await expect.poll(() => release.length).toBe(2);
    release.pop()?.();
    const again = () => create(small.url, newId());
    await expect.poll(async () => (await again()).status, { interval: 50 }).toBe(200);
  });
});
