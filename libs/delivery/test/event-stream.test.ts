import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { eventKeys, type LiveSignal, type NewRunEvent } from "@antler/contracts";
import { newId } from "@antler/platform";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { createEventAppender, type DeliveryDeps, publishLive, readRunEvents, subscribeLive } from "../src/index.ts";

let stack: DeliveryStack;
let writer: DeliveryDeps;
let reader: DeliveryDeps;

beforeAll(async () => {
  stack = await startDeliveryStack();
  [writer, reader] = await Promise.all([stack.connect(), stack.connect()]);
});
afterAll(() => stack.stop());

describe("two processes", () => {
  it("stream a run's events from one to the other, in order and each once", async () => {
    const runId = newId();
    const appender = createEventAppender(writer, { runId, threadId: "t" });
    const options = { afterSeq: 0, signal: AbortSignal.timeout(20_000), sealIfEnded: async () => "live" as const };
    const streamed = Array.fromAsync(readRunEvents(reader, runId, options));
    for (let n = 1; n <= 60; n++) appender.append({ key: `k${n}`, type: "stream.custom", data: { n } });
    const end: NewRunEvent = { key: eventKeys.runEnd, type: "run.end", data: {} };
    const [last] = await appender.appendNow([end]);
    const events = await streamed;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
    expect(events.at(-1)).toEqual(last);
    await appender.close();
  });

  it("pass token deltas on while they are small enough", async () => {
    const runId = newId();
    const received: LiveSignal[] = [];
    const subscription = subscribeLive(reader.bus, runId, (delta) => received.push(delta));
    await reader.bus.flush();
    const delta = (content: string): LiveSignal => ({ namespace: [], message: { content }, metadata: {} });
    publishLive(writer.bus, runId, delta("x".repeat(70_000)));
    publishLive(writer.bus, runId, delta("small"));
    await expect.poll(() => received).toEqual([delta("small")]);
    subscription.close();
  });
});
