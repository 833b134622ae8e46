import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { type Bus, connectBus } from "@antler/bus";
import { eventKeys, type RunEvent } from "@antler/contracts";
import { createLogger, newId } from "@antler/platform";
import { connectStore } from "@antler/store";

import { startTcpTap } from "../../../test/faults/stack/tcp-tap.ts";
import { startMongo } from "../../../test/harness/mongo.ts";
import { startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { createEventAppender } from "../src/event-appender.ts";
import { readRunEvents } from "../src/event-reader.ts";

const EVENTS = 20_000;
const BLOCK = 1000;
const TEXT = "x".repeat(400);
/** What the server keeps for a client that does not read, before it cuts the connection. */
const MAX_PENDING = 'max_payload: 256KB\nmax_pending: 256KB\nwrite_deadline: "1s"\n';

it(
  "a reader that takes nothing during 20,000 events loses its connection, and still sees each once [FC-B19]",
  { timeout: 180_000 },
  async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, "nats.conf");
    await writeFile(path, MAX_PENDING);
    await using nats = await startNats({ args: ["-c", path] });
    const tap = await startTcpTap(nats.port);
    const mongo = await startMongo();
    const lines: string[] = [];
    const logger = createLogger({ service: "test", level: "warn", destination: { write: (line) => lines.push(line) } });
    const store = await connectStore({ url: mongo.url, database: mongo.newDatabase(), logger });
    await store.migrate();
    const writer = await connectBus({ url: nats.url, name: "writer", logger });
    const reader = await connectBus({ url: `nats://127.0.0.1:${tap.port}`, name: "reader", logger });
    const runId = newId();
    const events = eventsOf(readRunEvents({ store, bus: reader }, runId, reading()));
    const appender = createEventAppender({ store, bus: writer, logger }, { runId, threadId: "t" });
    await appender.appendNow([step(0)]);
    expect((await events.next()).value).toBe(1);

    tap.stall();
    for (let at = 1; at <= EVENTS; at += BLOCK)
      await appender.appendNow(Array.from({ length: BLOCK }, (_value, index) => step(at + index)));
    await appender.appendNow([{ key: eventKeys.runEnd, type: "run.end", data: { status: "success" } }]);
    tap.flow();

    const rest = await Array.fromAsync(events);
    expect(rest).toEqual(Array.from({ length: EVENTS + 1 }, (_value, index) => index + 2));
    await expect.poll(() => lines.join()).toContain("Connection to NATS broke");
    await untilReady(reader);
    await Promise.all([appender.close(), writer.close(), reader.close()]);
    await Promise.all([tap.close(), store.close()]);
    await mongo.stop();
  },
);

const step = (n: number) => ({ key: `k${n}`, type: "llm.ai.response", data: { text: TEXT } }) as const;

function reading() {
  return { afterSeq: 0, signal: AbortSignal.timeout(150_000), sealIfEnded: async () => "live" as const };
}

async function* eventsOf(events: AsyncIterable<RunEvent>): AsyncGenerator<number, void, undefined> {
  for await (const { seq } of events) yield seq;
}

async function untilReady(bus: Bus): Promise<void> {
  await expect.poll(() => bus.health().ready, { timeout: 30_000 }).toBe(true);
}
