import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { NewRunEvent } from "@antler/contracts";
import { createEventAppender } from "@antler/delivery";

import type { RunIds } from "../harness/gateway-client.ts";
import { type MeasuredGateway, startMeasuredGateway } from "./stack/measured-gateway.ts";
import { type Measured, MEBIBYTE, reportGrowth } from "./stack/measured-process.ts";
import { idsLeftIn, openRawStream } from "./stack/raw-stream.ts";

let gateway: MeasuredGateway;
beforeAll(async () => {
  gateway = await startMeasuredGateway();
}, 300_000);
afterAll(() => gateway.stop());

const CASE_LIMIT_MS = 240_000;
const CLIENT_LIMIT = 8 * MEBIBYTE;
const RUN_LIMIT = 64 * MEBIBYTE;

const pathOf = ({ threadId, runId }: RunIds) => `/threads/${threadId}/runs/${runId}`;
const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));
const endOf = (ids: RunIds) => gateway.client.post(`${pathOf(ids)}/cancel?wait=1`);

const openStream = (ids: RunIds, lastEventId?: string) =>
  openRawStream({
    port: gateway.service.port,
    path: `${pathOf(ids)}/stream`,
    ...(lastEventId !== undefined && { lastEventId }),
  });

interface Production {
  readonly count: number;
  /** Of the event with this number. */
  readonly bytesOf: (n: number) => number;
  /** Events of one write. */
  readonly atOnce: number;
  /** Called ten times on the way. */
  readonly look?: () => Promise<void>;
}

const numberedEvent = (n: number, bytes: number): NewRunEvent => ({
  key: `values:${n}`,
  type: "stream.values",
  data: { mode: "values", namespace: [], payload: { n, text: "x".repeat(bytes) } },
});

/** Appends events to the log of a run, as its worker would. */
async function produce({ threadId, runId }: RunIds, { count, bytesOf, atOnce, look }: Production): Promise<void> {
  const appender = createEventAppender(gateway.deps, { runId, threadId });
  for (let done = 0; done < count; done += atOnce) {
    const numbers = Array.from({ length: atOnce }, (_, index) => done + index + 1);
    await appender.appendNow(numbers.map((n) => numberedEvent(n, bytesOf(n))));
    if (done % (count / 10) === 0) await look?.();
  }
  await appender.close();
}

/** The numbers of all that a run was streamed while it went on. */
async function streamed(production: Production): Promise<string[]> {
  const ids = await gateway.client.startRun();
  const seen = idsLeftIn(await openStream(ids));
  await produce(ids, production);
  await endOf(ids);
  return seen;
}

const grown = (before: Measured, after: Measured) =>
  Math.max(after.rss - before.rss, after.heapUsed + after.external - before.heapUsed - before.external);

async function openResponses(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.service.port}/metrics`)).text();
  return Number(/^antler_http_open_responses (\d+)$/m.exec(metrics)?.[1]);
}

describe("a client that never reads 50 MB of events", { timeout: CASE_LIMIT_MS }, () => {
  // Every other one is small enough to be signalled whole; the others are announced by number and read from the log.
  const production = { count: 640, bytesOf: (n: number) => (n % 2 === 0 ? 40_000 : 120_000), atOnce: 1 };

  it("is dropped with a reason and resumes, at a bounded cost [FC-D03]", async () => {
    await streamed({ ...production, count: 400 });
    const before = await gateway.measure();
    const ids = await gateway.client.startRun();
    const socket = await openStream(ids);
    await expect.poll(openResponses).toBe(1);
    const growth: number[] = [];
    const look = async () => void growth.push(grown(before, await gateway.measure()));

    await produce(ids, { ...production, look });
    await expect.poll(openResponses, { timeout: 30_000 }).toBe(0);
    await look();

    reportGrowth("50 MB that nobody reads", Math.max(...growth), CLIENT_LIMIT);
    expect(Math.max(...growth)).toBeLessThan(CLIENT_LIMIT);
    expect(gateway.service.lines).toContainEqual(expect.stringMatching(`"run_id":"${ids.runId}".*"slow_reader"`));
    await endOf(ids);
    const seen = await idsLeftIn(socket);
    const rest = await idsLeftIn(await openStream(ids, seen.at(-1)));
    expect([...seen, ...rest]).toEqual(numbersTo(production.count + 1));
  });
});

describe("20,000 events on one run", { timeout: CASE_LIMIT_MS }, () => {
  it("are streamed in bounded memory, kept apart from the run and read in pages [FC-E02]", async () => {
    const production = { count: 20_000, bytesOf: () => 1000, atOnce: 100 };
    await streamed({ ...production, count: 2000 });
    const before = await gateway.measure();
    const growth: number[] = [];
    const look = async () => void growth.push(grown(before, await gateway.measure()));
    const ids = await gateway.client.startRun();
    const seen = idsLeftIn(await openStream(ids));

    await produce(ids, { ...production, look });
    await endOf(ids);
    expect(await seen).toEqual(numbersTo(20_001));
    await look();

    reportGrowth("20,000 events of one run", Math.max(...growth), RUN_LIMIT);
    expect(Math.max(...growth)).toBeLessThan(RUN_LIMIT);
    expect(JSON.stringify(await gateway.deps.store.runs.get(ids.runId)).length).toBeLessThan(16 * 1024);
    const page = await gateway.client.get<{ seq: number }[]>(`/runs/${ids.runId}/events?after_seq=18000&limit=2000`);
    expect(page.map(({ seq }) => seq)).toEqual(numbersTo(20_000).slice(18_000).map(Number));
    const tooMany = await fetch(`http://127.0.0.1:${gateway.service.port}/runs/${ids.runId}/events?limit=20000`);
    expect(tooMany.status).toBe(422);
  });
});

describe("500 streams that are opened and dropped", { timeout: CASE_LIMIT_MS }, () => {
  const AT_ONCE = 50;
  let ids: RunIds;
  beforeAll(async () => {
    ids = await gateway.client.startRun();
  });

  const openOne = async (n: number) => {
    const { port } = gateway.service;
    if (n % 2 === 0) return openStream(ids);
    const { body } = await gateway.client.post("/threads");
    const { thread_id: threadId } = body as { thread_id: string };
    const request = { assistant_id: "lead", input: { messages: [] }, stream_mode: ["values", "messages-tuple"] };
    return openRawStream({ port, path: `/threads/${threadId}/runs/stream`, method: "POST", body: request });
  };

  const openAndDrop = async (count: number) => {
    for (let done = 0; done < count; done += AT_ONCE) {
      const sockets = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => openOne(index)));
      await expect.poll(openResponses).toBe(AT_ONCE);
      for (const socket of sockets) socket.destroy();
      await expect.poll(openResponses).toBe(0);
    }
  };

  const held = async () => {
    const { timers, peerPorts } = await gateway.measure();
    const sockets = peerPorts.filter((port) => port !== gateway.storePort).length;
    return { sockets, timers, subscriptions: await gateway.subscriptions() };
  };

  /** What is held by itself, without what comes and goes. */
  const heldAtRest = async () => {
    const samples: Awaited<ReturnType<typeof held>>[] = [];
    for (let n = 0; n < 20; n += 1) samples.push(await held());
    const least = (name: "sockets" | "timers" | "subscriptions") => Math.min(...samples.map((sample) => sample[name]));
    return { sockets: least("sockets"), timers: least("timers"), subscriptions: least("subscriptions") };
  };

  it("leave no socket, timer or subscription behind [FC-D01]", async () => {
    await openAndDrop(AT_ONCE);
    const before = { held: await heldAtRest(), memory: await gateway.measure() };

    await openAndDrop(500);

    await expect.poll(held, { timeout: 30_000 }).toEqual(before.held);
    const growth = grown(before.memory, await gateway.measure());
    reportGrowth("500 dropped streams", growth, RUN_LIMIT);
    expect(growth).toBeLessThan(RUN_LIMIT);
    expect(gateway.service.lines.join("\n")).not.toContain("MaxListenersExceeded");
  });
});
