import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { encodeTicket, ticketMessageId } from "@antler/contracts";
import { newTraceContext } from "@antler/platform";

import { startTcpTap, type TcpTap } from "../../../test/faults/stack/tcp-tap.ts";
import { type NatsServer, startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { connectBus } from "../src/index.ts";
import { alone, ensure, GENERAL, silent, startTestServer, taskTicket } from "./bus-test.ts";

interface Tapped {
  readonly tap: TcpTap;
  readonly nats: NatsServer;
}

/** A bus whose connection can be broken. */
async function openTappedBus({ port }: NatsServer) {
  const tap = await startTcpTap(port);
  const bus = await connectBus({ url: `nats://127.0.0.1:${tap.port}`, name: "test", logger: silent });
  return { bus, tap };
}

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

test("what was sent when the connection broke is sent again under its message id [FC-B12]", async () => {
  await using server = await startTestServer();
  const { bus, tap } = await openTappedBus(server.nats);
  await ensure(bus);
  const ticket = taskTicket();
  const held = tap.hold("PUB", GENERAL);
  const publishing = bus.publishTicket(GENERAL, ticket, newTraceContext());
  (await held).forwardWithoutReply();
  await expect.poll(async () => (await server.admin.manager.streams.info("TASKS")).state.messages).toBe(1);
  await tap.refuse();
  await tap.accept();
  expect(await publishing).toMatchObject({ seq: 1, duplicate: true });
  await bus.close();
  await tap.close();
});

test.each([
  ["disconnected", "the connection to NATS broke", ({ tap }: Tapped) => tap.refuse()],
  ["unanswered", "NATS does not answer", ({ nats }: Tapped) => process.kill(nats.pid, "SIGSTOP")],
])("gives up in time and says why: %s [FC-B12]", async (failure, reason, breakIt) => {
  await using server = await startTestServer();
  const { bus, tap } = await openTappedBus(server.nats);
  await ensure(bus);
  await breakIt({ tap, nats: server.nats });
  const published = bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
  await expect(published).rejects.toMatchObject({
    ...{ code: "bus_unavailable", retry: "later", details: { failure } },
    message: expect.stringContaining(reason) as string,
  });
  process.kill(server.nats.pid, "SIGCONT");
  await bus.close();
  await tap.close();
});

test("refuses at once what no stream takes, and names it [FC-B12]", async () => {
  await using server = await startTestServer();
  const { bus, tap } = await openTappedBus(server.nats);
  await ensure(bus);
  const startedMs = performance.now();
  await expect(bus.publishTicket("tasks.general", taskTicket(), newTraceContext())).rejects.toMatchObject({
    ...{ code: "topology_conflict", retry: "never", details: { stream: "TASKS", subject: "tasks.general" } },
    message: "Stream TASKS does not take tasks.general: its subjects are tasks.*.*",
  });
  expect(performance.now() - startedMs).toBeLessThan(2000);
  await bus.close();
  await tap.close();
});

test("gives up with bus_unavailable when there is no stream and nobody told of one", async () => {
  await using server = await startTestServer();
  const { openBus } = server;
  const bus = await openBus();
  await expect(bus.publishTicket(GENERAL, taskTicket(), newTraceContext())).rejects.toMatchObject({
    code: "bus_unavailable",
  });
});
