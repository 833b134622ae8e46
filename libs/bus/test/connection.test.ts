import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

import { expect, test } from "vitest";

import { startNats } from "../../../test/harness/nats.ts";
import { connectBus } from "../src/index.ts";
import { serverAddressOf } from "../src/server-address.ts";
import { silent } from "./bus-test.ts";

const options = { name: "test", logger: silent };

test("reads servers, credentials and encryption from NATS_URL", () => {
  expect(serverAddressOf("nats://127.0.0.1:4222")).toEqual({ servers: ["127.0.0.1:4222"] });
  expect(serverAddressOf("one:4222, nats://two:4223")).toEqual({ servers: ["one:4222", "two:4223"] });
  expect(serverAddressOf("nats://user:p%40ss@host:1")).toEqual({ servers: ["host:1"], user: "user", pass: "p@ss" });
  expect(serverAddressOf("nats://secret@host")).toEqual({ servers: ["host"], token: "secret" });
  expect(serverAddressOf("tls://host:4222")).toEqual({ servers: ["host:4222"], tls: {} });
});

test.each(["", "http://host", "nats://", "nats://host:99999"])("refuses %j as NATS_URL", async (url) => {
  await expect(connectBus({ ...options, url })).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining("NATS_URL") as string,
  });
});

test("names NATS_URL without its credentials when nobody answers", async () => {
  const connecting = connectBus({ ...options, url: "nats://user:pass@127.0.0.1:1", connectTimeoutMs: 400 });
  const error: unknown = await connecting.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "bus_unavailable" });
  expect(String(error)).toContain("nats://127.0.0.1:1 (NATS_URL)");
  expect(String(error)).not.toContain("pass@");
});

test("waits for a server that comes up a little later", async () => {
  await using earlier = await startNats();
  const { port, url } = earlier;
  await earlier.stop();
  const connecting = connectBus({ ...options, url, connectTimeoutMs: 10_000 });
  await using server = await startNats({ port });
  expect(server.url).toBe(url);
  const bus = await connecting;
  expect(bus.health()).toEqual({ ready: true, reasons: [] });
  await bus.close();
});

test("stops waiting when told to", async () => {
  const stop = new AbortController();
  const connecting = connectBus({ ...options, url: "nats://127.0.0.1:1", signal: stop.signal });
  stop.abort(new Error("Told to"));
  await expect(connecting).rejects.toThrow("Told to");
});

test("does not wait for ever for a server that accepts and says nothing", async () => {
  const mute = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const address = mute.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const connecting = connectBus({ ...options, url: `nats://127.0.0.1:${port ?? 0}`, connectTimeoutMs: 500 });
  await expect(connecting).rejects.toMatchObject({ code: "bus_unavailable" });
  mute.close();
});

test("says so when the server runs without JetStream", async () => {
  await using server = await startNats({ jetstream: false });
  await expect(connectBus({ ...options, url: server.url })).rejects.toMatchObject({
    code: "bus_unavailable",
    message: expect.stringContaining("without JetStream") as string,
  });
});

test("authenticates with the credentials of the URL, and says when they are wrong", async () => {
  await using server = await startNats({ args: ["--user", "antler", "--pass", "s3cret"] });
  const withUser = (user: string) => server.url.replace("nats://", `nats://${user}@`);
  const bus = await connectBus({ ...options, url: withUser("antler:s3cret") });
  expect(bus.health().ready).toBe(true);
  await bus.close();
  const wrong = connectBus({ ...options, url: withUser("antler:wrong"), connectTimeoutMs: 400 });
  await expect(wrong).rejects.toMatchObject({
    code: "bus_unavailable",
    message: expect.stringMatching(/NATS_URL.*Authorization/i) as string,
  });
});

test("a closed bus leaves nothing that keeps the process alive", async () => {
  await using server = await startNats();
  const program = `
    import { connectBus } from "@antler/bus";
    import { STREAMS, durablesOf, PoolsConfig } from "@antler/contracts";
    import { createLogger } from "@antler/platform";
    const logger = createLogger({ service: "test", level: "error" });
    const bus = await connectBus({ url: process.argv[1], name: "test", logger });
    const durables = durablesOf(PoolsConfig.parse({}), 15_000);
    await bus.ensureTopology(STREAMS, durables, (_name, work) => work());
    for (const durable of durables) bus.startPullLoop({ durable, slots: 1, handle: async () => {}, logger });
    bus.subscribe("ctl.>", () => {});
    await bus.flush();
    await bus.close();
    const closedMs = performance.now();
    process.on("exit", () => console.log("idle after", performance.now() - closedMs, bus.health().ready));
  `;
  const args = ["--conditions=antler-dev", "--input-type=module", "--eval", program, server.url];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(0);
  const afterMs = Number(/idle after ([\d.]+) false/.exec(output)?.[1]);
  expect(afterMs).toBeLessThan(1000);
});
