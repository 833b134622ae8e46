import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { AntlerError } from "@antler/contracts";

import { type Gateway, type GatewayStack, startGatewayStack } from "../gateway-stack.ts";
import { call } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open({
    document: { http: { max_body_bytes: 2000 }, models: [{ name: "big", provider: "openai", model: "gpt" }] },
  });
  url = gateway.url;
  await call(`${url}/threads`, "POST", { thread_id: "t" });
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

interface Refusal {
  readonly request: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
  readonly problem: Record<string, unknown>;
}

const runs = "/threads/t/runs";
const invalid = (path: string) => ({
  code: "invalid_request",
  errors: [{ path, message: expect.any(String) as string }],
});

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "an unknown route": { request: ["GET", "/nope"], status: 404, problem: { code: "route_not_found" } },
  "a method that a route does not have": {
    request: ["DELETE", "/threads"],
    status: 404,
    problem: { code: "route_not_found" },
  },
  "an unknown field": {
    request: ["POST", runs, { assistant_id: "lead", colour: 1 }],
    status: 422,
    problem: invalid("colour"),
  },
  "a missing field": { request: ["POST", runs, {}], status: 422, problem: invalid("assistant_id") },
  "a nested field of the wrong form": {
    request: ["POST", runs, { assistant_id: "lead", config: { recursion_limit: 0 } }],
    status: 422,
    problem: invalid("config.recursion_limit"),
  },
  "an unknown field of a thread": {
    request: ["POST", "/threads", { name: "x" }],
    status: 422,
    problem: invalid("name"),
  },
  "a thread id of the wrong form": {
    request: ["GET", "/threads/a%20b"],
    status: 422,
    problem: invalid("path.thread_id"),
  },
  "a query of the wrong form": {
    request: ["GET", `${runs}?limit=x`],
    status: 422,
    problem: invalid("query.limit"),
  },
  "an option that is not supported": {
    request: ["POST", runs, { assistant_id: "lead", webhook: "https://example.com" }],
    status: 422,
    problem: { code: "unsupported_option", option: "webhook" },
  },
  "an unknown assistant": {
    request: ["POST", runs, { assistant_id: "agent" }],
    status: 404,
    problem: { code: "assistant_not_found", detail: expect.stringContaining("agent") as string },
  },
  "an unknown model": {
    request: ["POST", runs, { assistant_id: "lead", context: { model_name: "small" } }],
    status: 422,
    problem: { code: "model_unknown", models: ["big"], detail: expect.stringContaining("big") as string },
  },
  "an unknown thread": {
    request: ["POST", "/threads/nobody/runs", { assistant_id: "lead" }],
    status: 404,
    problem: { code: "thread_not_found" },
  },
  "an unknown run": { request: ["GET", "/runs/nope/tasks"], status: 404, problem: { code: "run_not_found" } },
  "a body that is too large": {
    request: ["POST", runs, { assistant_id: "lead", input: { text: "x".repeat(3000) } }],
    status: 413,
    problem: { code: "body_too_large", limit: "http.max_body_bytes" },
  },
};

describe("a problem document", () => {
  it.each(Object.entries(REFUSALS))("answers %s", async (_name, { request: [method, path, body], status, problem }) => {
    const answer = await call(`${url}${path}`, method, body);

    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(answer.body).toMatchObject({ status, type: expect.stringContaining("https://") as string, ...problem });
    expect(answer.body["trace_id"]).toBe(answer.headers.get("x-trace-id"));
  });

  it.each([
    ["{broken", "application/json", 400, "malformed_json"],
    ["", "application/json", 422, "invalid_request"],
    ["a=1", "application/x-www-form-urlencoded", 415, "unsupported_media_type"],
  ])("answers a body %j as %s with %i", async (body, type, status, code) => {
    const response = await fetch(`${url}${runs}`, { method: "POST", body, headers: { "content-type": type } });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it("keeps the text of an unknown error at home", async () => {
    await using broken = await stack.open({ deps: { listTasks: () => Promise.reject(new Error("secret password")) } });
    const { body } = await call<{ run_id: string }>(`${url}${runs}`, "POST", { assistant_id: "lead" });

    const answer = await call(`${broken.url}/runs/${body.run_id}/tasks`);

    expect(answer).toMatchObject({ status: 500, body: { code: "internal" } });
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|at .*\.ts/);
  });

  it.each([
    ["store_unavailable", {}, 2],
    ["queue_full", { retry_after: 7 }, 7],
  ] as const)("tells with %s when to come again, in header and body", async (code, details, seconds) => {
    const refuse = () => Promise.reject(new AntlerError(code, "Not now", { details }));
    const threads = { ...stack.deps.store.threads, ensure: refuse };
    await using full = await stack.open({ deps: { threads } });

    const answer = await call(`${full.url}${runs}`, "POST", { assistant_id: "lead", if_not_exists: "create" });

    expect(answer.body).toMatchObject({ code, detail: "Not now", retry_after: seconds });
    expect(answer.headers.get("retry-after")).toBe(String(seconds));
  });
});

describe("traces", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  it("are new, unless the caller's are trusted", async () => {
    await using trusting = await stack.open({ document: { telemetry: { trust_incoming: true } } });

    const own = await fetch(`${url}/ok`, { headers: { traceparent } });
    const incoming = await fetch(`${trusting.url}/ok`, { headers: { traceparent } });

    expect(own.headers.get("x-trace-id")).not.toBe("0af7651916cd43dd8448eb211c80319c");
    expect(incoming.headers.get("x-trace-id")).toBe("0af7651916cd43dd8448eb211c80319c");
  });
});
