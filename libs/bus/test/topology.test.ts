import { expect, test } from "vitest";

import { STREAMS } from "@antler/contracts";
import { createLogger } from "@antler/platform";

import { connectBus } from "../src/index.ts";
import { createStream } from "../src/topology.ts";
import { streamSettings } from "../src/topology-settings.ts";
import { alone, durables, ensure, generalDurable, publishTasks, startTestServer } from "./bus-test.ts";

const DAY_NANOS = 24 * 3600 * 1e9;

test("creates the streams with limits retention on disk, and one durable for each pool and lane", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  await ensure(await openBus());
  const { config } = await admin.manager.streams.info("TASKS");
  expect(config).toMatchObject({
    subjects: ["tasks.*.*"],
    retention: "limits",
    storage: "file",
    discard: "old",
    max_age: DAY_NANOS,
    max_bytes: 1024 ** 3,
    duplicate_window: 120e9,
  });
  const consumer = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(consumer.config).toMatchObject({
    durable_name: "general_interactive",
    filter_subject: "tasks.general.interactive",
    ack_policy: "explicit",
    deliver_policy: "all",
    ack_wait: 15e9,
    max_ack_pending: 8,
    max_deliver: -1,
  });
  expect(consumer.config.backoff).toBeUndefined();
});

test("changes nothing that exists", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, durables(3));
  const before = await admin.manager.consumers.info("TASKS", "general_interactive");
  await ensure(bus, durables(9));
  const after = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(after.config).toEqual(before.config);
  expect(after.created).toBe(before.created);
});

test("several processes may create everything at the same time, and share one durable a pool and lane [FC-B13]", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const buses = await Promise.all([openBus(), openBus(), openBus(), openBus()]);
  await Promise.all(buses.map((bus) => ensure(bus)));
  const names = await admin.manager.consumers.list("TASKS").next();
  expect(names.map(({ name }) => name).sort()).toEqual([
    "bash_batch",
    "bash_interactive",
    "general_batch",
    "general_interactive",
  ]);
});

test("a stream that another process has created since it was looked for is taken as it is", async () => {
  await using server = await startTestServer();
  const { manager } = server.admin;
  const spec = STREAMS.find(({ name }) => name === "RUNS")!;
  await manager.streams.add({ ...streamSettings(spec), name: spec.name, description: "of another process" });
  expect((await createStream(manager, spec)).config).toMatchObject({ description: "of another process" });
});

test("a durable that is made for a used stream starts at new tickets", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, []);
  await publishTasks(bus, 2);
  await ensure(bus, [generalDurable()]);
  const { config, num_pending: pending } = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect({ start: config.opt_start_seq, pending }).toEqual({ start: 3, pending: 0 });
});

test("a durable that is made for an unused stream misses nothing", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, []);
  await ensure(bus, [generalDurable()]);
  await publishTasks(bus, 2);
  const { num_pending: pending } = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect(pending).toBe(2);
});

test("refuses a stream with another retention", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  await admin.manager.streams.add({ name: "TASKS", subjects: ["tasks.*.*"], retention: "workqueue" });
  await expect(ensure(await openBus())).rejects.toMatchObject({
    code: "topology_conflict",
    message: "Stream TASKS cannot serve Antler: retention is workqueue instead of limits",
  });
});

test("refuses a stream that lacks subjects until they are applied", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  await admin.manager.streams.add({ name: "RUNS", subjects: ["foreign.>"] });
  const bus = await openBus();
  await expect(ensure(bus)).rejects.toMatchObject({ code: "topology_conflict" });
  await bus.applyTopology(STREAMS, durables());
  await expect(ensure(bus)).resolves.toBeUndefined();
});

test("refuses a foreign stream that holds its subjects", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  await admin.manager.streams.add({ name: "FOREIGN", subjects: ["tasks.>"] });
  await expect(ensure(await openBus())).rejects.toMatchObject({
    code: "topology_conflict",
    message: expect.stringContaining("Stream TASKS") as string,
  });
});

test("refuses a durable whose filter or delivery differs", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, []);
  await admin.manager.consumers.add("TASKS", {
    durable_name: "general_interactive",
    filter_subject: "tasks.bash.interactive",
    ack_policy: "none",
  });
  await expect(ensure(bus)).rejects.toMatchObject({
    code: "topology_conflict",
    message: expect.stringMatching(/general_interactive.*filter is.*ack policy is none/) as string,
  });
});

test.each([
  ["gives up after some deliveries", { max_deliver: 3 }, "max_deliver is 3 instead of -1"],
  [
    "delivers again by a backoff, whatever the time for the acknowledgement is [FC-B03]",
    { ack_wait: 30e9, max_deliver: 5, backoff: [1e9, 5e9] },
    "backoff is set",
  ],
  [
    "vanishes when nobody pulls for a while [FC-B09]",
    { inactive_threshold: 2e9 },
    "inactive_threshold is 2 s: it would vanish while nobody pulls",
  ],
])("refuses a durable until the topology is applied that %s", async (_what, settings, conflict) => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus, []);
  await admin.manager.consumers.add("TASKS", {
    durable_name: "general_interactive",
    filter_subject: "tasks.general.interactive",
    ack_policy: "explicit",
    ...settings,
  });
  await expect(ensure(bus)).rejects.toMatchObject({
    code: "topology_conflict",
    message: expect.stringContaining(conflict) as string,
  });
  await bus.applyTopology(STREAMS, durables());
  await expect(ensure(bus)).resolves.toBeUndefined();
  expect(await bus.applyTopology(STREAMS, durables())).toEqual([]);
});

test("serves under other settings than the configured ones, and says what to do about them [FC-B09]", async () => {
  await using server = await startTestServer();
  await ensure(await server.openBus(), durables(2, 30_000));
  const lines: string[] = [];
  const logger = createLogger({ service: "test", level: "warn", destination: { write: (line) => lines.push(line) } });
  const bus = await connectBus({ url: server.nats.url, name: "test", logger });
  await ensure(bus, durables(6, 15_000));
  await bus.close();
  const reports = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(reports.find(({ durable }) => durable === "general_interactive")).toMatchObject({
    msg: expect.stringContaining("antler topology apply") as string,
    settings: { ack_wait: { from: 30e9, to: 15e9 }, max_ack_pending: { from: 2, to: 6 } },
  });
});

test("refuses a foreign durable with an overlapping filter, and lets mere readers be [FC-B13]", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  await admin.manager.consumers.add("TASKS", { durable_name: "reader", ack_policy: "none" });
  await expect(ensure(bus)).resolves.toBeUndefined();
  await admin.manager.consumers.add("TASKS", {
    durable_name: "foreign",
    filter_subject: "tasks.*.interactive",
    ack_policy: "explicit",
  });
  await expect(ensure(bus)).rejects.toMatchObject({
    code: "topology_conflict",
    message: expect.stringContaining("Consumer foreign of stream TASKS") as string,
  });
});

test("asks for exclusivity only when a consumer must be made anew", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  const names: string[] = [];
  await bus.ensureTopology(STREAMS, durables(), (name, work) => {
    names.push(name);
    return alone(name, work);
  });
  expect(names).toEqual([]);
});
