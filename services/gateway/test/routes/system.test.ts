import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { type Gateway, type GatewayStack, startGatewayStack } from "../gateway-stack.ts";
import { call } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open();
  url = gateway.url;
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

it.each(["/ok", "/livez"])("%s answers while the process runs", async (path) => {
  expect(await call(`${url}${path}`)).toMatchObject({ status: 200, body: { ok: true } });
});

it("/readyz tells why the gateway is not ready", async () => {
  await using unready = await stack.open({ deps: { readiness: () => ({ ready: false, reasons: ["no bus"] }) } });

  expect(await call(`${url}/readyz`)).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
  expect(await call(`${unready.url}/readyz`)).toMatchObject({
    status: 503,
    body: { ready: false, reasons: ["no bus"] },
  });
});

it("/info names version and models", async () => {
  const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as object;
  expect((await call(`${url}/info`)).body).toMatchObject({
    name: "antler",
    version: (manifest as { version: string }).version,
    models: [],
  });
});

it("/metrics counts responses", async () => {
  await call(`${url}/ok`);

  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^antler_http_responses_total\{status="200"\} \d+$/m);
});

it("/metrics tells about the process, each metric once", async () => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const described = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);

  expect(described).toEqual(expect.arrayContaining(["process_resident_memory_bytes", "process_cpu_seconds_total"]));
  expect(new Set(described).size).toBe(described.length);
});

it("/openapi.json describes the routes by the schemas that check them", async () => {
  const { body } = await call<{ paths: Record<string, object>; components: { schemas: Record<string, object> } }>(
    `${url}/openapi.json`,
  );

  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining(["/threads", "/threads/{thread_id}/runs/stream", "/runs/{run_id}/tasks"]),
  );
  expect(body.components.schemas).toHaveProperty("Thread");
  expect(body.paths["/threads/{thread_id}/runs"]).toHaveProperty("post.requestBody");
});

it("has one assistant, the lead", async () => {
  const found = await call(`${url}/assistants/search`, "POST", {});

  expect(found.body).toMatchObject([{ assistant_id: "lead", graph_id: "lead" }]);
  expect((await call(`${url}/assistants/search`, "POST", { graph_id: "other" })).body).toEqual([]);
  expect((await call(`${url}/assistants/lead`)).body).toMatchObject({ assistant_id: "lead" });
  expect(await call(`${url}/assistants/other`)).toMatchObject({ status: 404, body: { code: "assistant_not_found" } });
});
