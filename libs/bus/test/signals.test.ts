import { expect, test } from "vitest";

import { startNats } from "../../../test/harness/nats.ts";
import { connectBus } from "../src/index.ts";
import { silent, startTestServer } from "./bus-test.ts";

const WAIT = { timeout: 5000, interval: 10 };

test("a signal reaches every subscriber of its subject, wildcards included", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const [sender, receiver] = await Promise.all([openBus(), openBus()]);
  const heard: Record<string, unknown> = {};
  receiver.subscribe("ctl.cancel.*", (payload, subject) => (heard["wildcard"] = [subject, payload]));
  receiver.subscribe("ctl.cancel.r1", (payload) => (heard["exact"] = payload));
  receiver.subscribe("ctl.cancel.r2", () => (heard["other"] = true));
  await receiver.flush();
  sender.signal("ctl.cancel.r1", { action: "interrupt" });
  sender.signal("ctl.settled.run.r1", { id: "r1" });
  const action = { action: "interrupt" };
  await expect.poll(() => heard, WAIT).toEqual({ wildcard: ["ctl.cancel.r1", action], exact: action });
});

test("a closed subscription hears nothing more", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  const heard: string[] = [];
  const closed = bus.subscribe("live.a", () => heard.push("closed"));
  bus.subscribe("live.a", () => heard.push("open"));
  closed.close();
  bus.signal("live.a", {});
  await expect.poll(() => heard, WAIT).toEqual(["open"]);
});

test("what a handler throws, and what is not JSON, harms nobody", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  const heard: unknown[] = [];
  bus.subscribe("live.a", (payload) => {
    heard.push(payload);
    throw new Error("Handler fault");
  });
  await bus.flush();
  admin.connection.publish("live.a", "{");
  await admin.connection.flush();
  bus.signal("live.a", { n: 1 });
  bus.signal("live.a", { n: 2 });
  await expect.poll(() => heard, WAIT).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a signal that cannot be sent is dropped without a word", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  const heard: unknown[] = [];
  bus.subscribe("live.a", (payload) => heard.push(payload));
  bus.signal("live.a", { text: "x".repeat(2 * 1024 ** 2) });
  bus.signal("not a subject", { n: 1 });
  bus.signal("live.a", { n: 1 });
  await expect.poll(() => heard, WAIT).toEqual([{ n: 1 }]);
});

test("without a connection signals are lost, and subscriptions go on after it stands again", async () => {
  await using server = await startTestServer();
  const { nats } = server;
  const bus = await connectBus({ url: nats.url, name: "test", logger: silent });
  const heard: unknown[] = [];
  bus.subscribe("live.a", (payload) => heard.push(payload));
  await bus.flush();
  await nats.kill();
  await expect.poll(() => bus.health().ready, WAIT).toBe(false);
  bus.signal("live.a", { n: "lost" });
  await using again = await startNats({ port: nats.port });
  expect(again.url).toBe(nats.url);
  await expect.poll(() => bus.health().ready, WAIT).toBe(true);
  bus.signal("live.a", { n: "heard" });
  await expect.poll(() => heard, WAIT).toEqual([{ n: "heard" }]);
  await bus.close();
  bus.signal("live.a", { n: "closed" });
});
