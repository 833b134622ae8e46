import { expect, test } from "vitest";

import { STREAMS } from "@antler/contracts";

import { durables, ensure, startTestServer } from "./bus-test.ts";

test("creates everything on an empty server and says so", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  const changes = await bus.applyTopology(STREAMS, durables());
  expect(changes.map(({ action }) => action)).toEqual(Array<string>(3 + durables().length).fill("created"));
  expect(await bus.applyTopology(STREAMS, durables())).toEqual([]);
});

test("brings existing settings to the given ones and names each with old and new value", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, durables(2, 15_000));
  const streams = STREAMS.map((stream) => (stream.name === "TASKS" ? { ...stream, maxAgeMs: 3_600_000 } : stream));
  const changes = await bus.applyTopology(streams, durables(6, 15_000));
  expect(changes).toEqual([
    {
      kind: "stream",
      name: "TASKS",
      action: "updated",
      settings: { max_age: { from: 24 * 3600e9, to: 3600e9 } },
    },
    {
      kind: "consumer",
      name: "general_interactive",
      action: "updated",
      settings: { max_ack_pending: { from: 2, to: 6 } },
    },
  ]);
  const { config } = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(config).toMatchObject({ max_ack_pending: 6, ack_wait: 15e9, deliver_policy: "all", max_deliver: -1 });
});

test("cannot change what a stream is", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  await admin.manager.streams.add({ name: "RUNS", subjects: ["runs.*"], retention: "workqueue" });
  const bus = await openBus();
  await expect(bus.applyTopology(STREAMS, durables())).rejects.toMatchObject({ code: "topology_conflict" });
});

test("takes a backoff away, since it would replace the time for the acknowledgement", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, []);
  await admin.manager.consumers.add("TASKS", {
    durable_name: "general_interactive",
    filter_subject: "tasks.general.interactive",
    ack_policy: "explicit",
    max_deliver: 5,
    backoff: [1e9, 2e9],
  });
  await bus.applyTopology(STREAMS, durables());
  const { config } = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect({ backoff: config.backoff ?? [], ackWait: config.ack_wait, maxDeliver: config.max_deliver }).toEqual({
    backoff: [],
    ackWait: 15e9,
    maxDeliver: -1,
  });
});
