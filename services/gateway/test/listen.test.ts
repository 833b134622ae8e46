import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import Fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";

import type { GatewayApp } from "../src/http/gateway-app.ts";
import { assertLoopback, listen } from "../src/listen.ts";

function anApp(): GatewayApp {
  const app = Fastify() as unknown as GatewayApp;
  onTestFinished(() => app.close());
  return app;
}

it.each(["127.0.0.1", "127.8.9.1", "::1", "localhost"])("binds %s", (host) => {
  expect(() => assertLoopback({ host })).not.toThrow();
});

it.each(["0.0.0.0", "::", "192.168.1.5", "antler.example", "127.evil.example"])("refuses to bind %s", (host) => {
  expect(() => assertLoopback({ host })).toThrow(
    expect.objectContaining({ code: "config_invalid", message: expect.stringContaining("http.host") as string }),
  );
});

it("returns the port that it got", async () => {
  const port = await listen(anApp(), { host: "127.0.0.1", port: 0 });

  expect(port).toBeGreaterThan(0);
});

it("names the port that another process has", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;

  await expect(listen(anApp(), { host: "127.0.0.1", port })).rejects.toMatchObject({
    code: "address_in_use",
    message: expect.stringContaining(`127.0.0.1:${port}`) as string,
  });
});
