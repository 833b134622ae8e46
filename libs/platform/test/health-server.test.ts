import { once } from "node:events";
import { createServer } from "node:net";

import { expect, test } from "vitest";

import { type Readiness, startHealthServer } from "../src/index.ts";

const host = "127.0.0.1";

test("answers liveness always and readiness with its reasons", async () => {
  let readiness: Readiness = { ready: false, reasons: ["not connected to NATS"] };
  const server = await startHealthServer({ host, port: 0, isReady: () => readiness });
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://${host}:${server.port}${path}`, init);
    return [response.status, await response.text()];
  };
  expect(await get("/livez")).toEqual([200, "ok\n"]);
  expect(await get("/readyz")).toEqual([503, '{"ready":false,"reasons":["not connected to NATS"]}\n']);
  readiness = { ready: true, reasons: [] };
  expect(await get("/readyz?verbose")).toEqual([200, '{"ready":true,"reasons":[]}\n']);
  expect((await get("/other"))[0]).toBe(404);
  expect((await get("/livez", { method: "POST" }))[0]).toBe(405);
  await server.close();
});

test("serves metrics of the process and of the service", async () => {
  const metrics = () => "antler_slots_in_use 3\n";
  const server = await startHealthServer({ host, port: 0, isReady: () => ({ ready: true, reasons: [] }), metrics });
  const text = await (await fetch(`http://${host}:${server.port}/metrics`)).text();
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^antler_slots_in_use 3$/m);
  await server.close();
});

test("closes although a client keeps its connection", async () => {
  const server = await startHealthServer({ host, port: 0, isReady: () => ({ ready: true, reasons: [] }) });
  const response = await fetch(`http://${host}:${server.port}/livez`, { headers: { connection: "keep-alive" } });
  await response.text();
  const startedMs = performance.now();
  await server.close();
  expect(performance.now() - startedMs).toBeLessThan(1000);
});

test("an occupied port is named with its variable", async () => {
  const other = createServer().listen(0, host);
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(startHealthServer({ host, port, isReady: () => ({ ready: true, reasons: [] }) })).rejects.toMatchObject({
    code: "address_in_use",
    message: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${port}.*ANTLER_HEALTH_PORT`)) as string,
  });
  other.close();
});

test("an address that is not this machine's is a fault of the configuration", async () => {
  const starting = startHealthServer({ host: "203.0.113.1", port: 0, isReady: () => ({ ready: true, reasons: [] }) });
  await expect(starting).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining("http.health_host") as string,
  });
});
