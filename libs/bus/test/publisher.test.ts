import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { encodeTicket, ticketMessageId } from "@antler/contracts";
import { newTraceContext } from "@antler/platform";

import { startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { connectBus } from "../src/index.ts";
import { alone, durables, ensure, GENERAL, silent, startTestServer, taskTicket } from "./bus-test.ts";

test("stores the ticket with its message id and trace context", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const ticket = taskTicket();
  const trace = { ...newTraceContext(), tracestate: "vendor=1", baggage: "tenant=a" };
  const { seq, duplicate } = await bus.publishTicket(GENERAL, ticket, trace);
  const stored = await admin.manager.streams.getMessage("TASKS", { seq });
  expect(duplicate).toBe(false);
  expect(stored?.string()).toBe(encodeTicket(ticket));
  const headers = Object.entries({ "Nats-Msg-Id": ticketMessageId(ticket), ...trace });
  expect(headers.map(([name]) => [name, stored?.header.get(name)])).toEqual(headers);
});

test("tells when its stream was created", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const { stream_created: created } = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  expect(created).toBe((await admin.manager.streams.info("TASKS")).created);
});

test("a repeated publication is stored once; another dispatch is stored again", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  const ticket = taskTicket();
  const first = await bus.publishTicket(GENERAL, ticket, newTraceContext());
  const again = await bus.publishTicket(GENERAL, ticket, newTraceContext());
  const anew = await bus.publishTicket(GENERAL, { ...ticket, dispatch: 2 }, newTraceContext());
  expect(again).toEqual({ ...first, duplicate: true });
  expect(anew).toMatchObject({ duplicate: false, seq: first.seq + 1 });
  expect((await admin.manager.streams.info("TASKS")).state.messages).toBe(2);
});

test("counts headers to the payload and refuses what the server would", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "nats.conf");
  await writeFile(path, "max_payload: 600\n");
  await using server = await startNats({ args: ["-c", path] });
  const bus = await connectBus({ url: server.url, name: "test", logger: silent });
  await bus.ensureTopology([], [], alone);
  await ensure(bus);
  const trace = newTraceContext();
  await expect(bus.publishTicket(GENERAL, taskTicket(), trace)).resolves.toMatchObject({ seq: 1 });
  const heavy = { ...trace, baggage: `filler=${"x".repeat(400)}` };
  await expect(bus.publishTicket(GENERAL, taskTicket(), heavy)).rejects.toMatchObject({
    code: "payload_too_large",
    message: expect.stringMatching(/\d+ bytes with headers; NATS accepts 600/) as string,
  });
  await bus.close();
});

test("a stream that was deleted is made again for the next ticket", async () => {
  await using server = await startTestServer();
  const { openBus, admin } = server;
  const bus = await openBus();
  await ensure(bus);
  await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await admin.manager.streams.delete("TASKS");
  const { seq, stream_created: created } = await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  const { num_pending: pending } = await admin.manager.consumers.info("TASKS", "general_interactive");
  expect({ seq, pending }).toEqual({ seq: 1, pending: 1 });
  expect(created).toBe((await admin.manager.streams.info("TASKS")).created);
});

test("gives up with bus_unavailable while the server is away", async () => {
  await using server = await startTestServer();
  const { nats, openBus } = server;
  const bus = await openBus();
  await ensure(bus, durables());
  await nats.kill();
  await expect(bus.publishTicket(GENERAL, taskTicket(), newTraceContext())).rejects.toMatchObject({
    code: "bus_unavailable",
    retry: "later",
  });
});

test("gives up with bus_unavailable when there is no stream and nobody told of one", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await expect(bus.publishTicket(GENERAL, taskTicket(), newTraceContext())).rejects.toMatchObject({
    code: "bus_unavailable",
  });
});
