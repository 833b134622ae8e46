import { once } from "node:events";
import { createServer, request as httpRequest, type RequestOptions, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readRunEvents } from "@antler/delivery";

import {
  type Gateway,
  type GatewayStack,
  type Replace,
  startGatewayStack,
  SUCCESS,
  valuesEvent,
} from "../gateway-stack.ts";
import { collect, framesOf, newThread, post } from "../http-client.ts";

let stack: GatewayStack;
beforeAll(async () => {
  stack = await startGatewayStack();
});
beforeEach(() => stack.play(async () => SUCCESS));
afterAll(() => stack.stop());

async function stream(url: string): Promise<Response> {
  const threadId = await newThread(url);
  return post(`${url}/threads/${threadId}/runs/stream`, { assistant_id: "lead" });
}

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));

/** A run of so many events, whose log is whole. */
async function aRunOf(count: number, bytes: number, gateway: Gateway): Promise<string> {
  stack.play(async ({ emit }) => {
    await emit(...numbersTo(count).map((n) => valuesEvent(Number(n), { n, text: "x".repeat(bytes) })));
    return SUCCESS;
  });
  const response = await stream(gateway.url);
  await collect(response);
  return `${gateway.url}${response.headers.get("content-location") ?? ""}/stream`;
}

describe("a client that reads 16 kB at a time, slowly", () => {
  it("gets 500 numbered events once each, in order [FC-D04]", async () => {
    await using gateway = await stack.open({ document: { streaming: { client_buffer_bytes: 16 * 1024 } } });
    const url = await aRunOf(500, 20_000, gateway);
    const smallWindow: RequestOptions & { highWaterMark: number } = { highWaterMark: 16 * 1024 };
    const asked = httpRequest(url, smallWindow).end();
    const [response] = (await once(asked, "response")) as [AsyncIterable<Buffer>];

    let text = "";
    for await (const chunk of response) {
      text += chunk.toString("latin1");
      await pause(1);
    }

    expect([...text.matchAll(/^data: \{"n":"(\d+)"/gm)].map(([, n]) => n)).toEqual(numbersTo(500));
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(numbersTo(501));
  });
});

/** Cuts what is silent for as long, and holds everything back unless it is told not to, as proxies do. */
function startProxy(target: string, silenceMs: number): Server {
  const proxy = createServer((incoming, outgoing) => {
    const asked = httpRequest(`${target}${incoming.url ?? ""}`, { method: incoming.method, headers: incoming.headers });
    asked.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (answer.headers["x-accel-buffering"] === "no") answer.pipe(outgoing);
      else void answer.toArray().then((chunks) => outgoing.end(Buffer.concat(chunks as Buffer[])));
      answer.on("error", () => outgoing.destroy());
    });
    asked.on("error", () => outgoing.destroy());
    asked.setTimeout(silenceMs, () => asked.destroy(new Error("The gateway was silent for too long")));
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  });
  return proxy.listen(0, "127.0.0.1");
}

describe("a quiet stream behind a proxy", () => {
  const HEARTBEAT_MS = 250;
  const SILENCE_MS = 4 * HEARTBEAT_MS;

  it("lives for longer than the proxy takes silence, by comments at the set period [FC-D07]", async () => {
    const goOn = Promise.withResolvers<undefined>();
    stack.play(async ({ emit }) => {
      await emit(valuesEvent(1, { n: 1 }));
      await goOn.promise;
      return SUCCESS;
    });
    await using gateway = await stack.open({ document: { streaming: { heartbeat_seconds: HEARTBEAT_MS / 1000 } } });
    const proxy = startProxy(gateway.url, SILENCE_MS);
    await once(proxy, "listening");
    const response = await stream(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);

    const comments: number[] = [];
    const events: string[] = [];
    for await (const { event } of framesOf(response)) {
      if (event === ":") comments.push(performance.now());
      else events.push(event);
      if (comments.length === 10) goOn.resolve(undefined);
    }
    proxy.close();

    expect(response.headers.get("cache-control")).toContain("no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(events).toEqual(["metadata", "values", "end"]);
    const silentMs = comments[9]! - comments[0]!;
    expect(silentMs).toBeGreaterThan(2 * SILENCE_MS);
    expect(silentMs).toBeGreaterThan(8 * HEARTBEAT_MS);
  });
});

describe("a store that throws in the middle of a replay", () => {
  /** Fails for readers of one run after its first page. */
  const failing =
    (runIdOf: () => string): Replace =>
    (real) => ({
      events: {
        ...real.events,
        follow: (run, options) => {
          if (run._id !== runIdOf()) return real.events.follow(run, options);
          const read: typeof real.events.read = (runId, query) => {
            if (query.afterSeq > 0) throw new TypeError("The cursor is broken");
            return real.events.read(runId, query);
          };
          const store = { events: { read: async (...query: Parameters<typeof read>) => [...(await read(...query))] } };
          return readRunEvents({ store, bus: stack.deps.bus }, run._id, {
            ...options,
            sealIfEnded: async () => "live",
          });
        },
      },
    });

  it("costs only its client the stream, with the reason and the headers of every answer [FC-D10]", async () => {
    let broken = "";
    await using gateway = await stack.open({ deps: failing(() => broken) });
    const url = await aRunOf(300, 10, gateway);
    const goOn = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => goOn.promise);
    const other = await stream(gateway.url);
    broken = /runs\/(.+)\/stream$/.exec(url)?.[1] ?? "";

    const response = await fetch(url);
    const frames = await collect(response);
    goOn.resolve(SUCCESS);

    expect(response.headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(frames.flatMap(({ id }) => id ?? [])).toEqual(numbersTo(200));
    expect(frames.at(-1)).toMatchObject({
      event: "disconnect",
      data: { code: "source_failed", last_event_id: 200 },
    });
    expect((await collect(other)).map(({ event }) => event)).toEqual(["metadata", "end"]);
    broken = "";
    const resumed = await collect(await fetch(url, { headers: { "last-event-id": "200" } }));
    expect(resumed.flatMap(({ id }) => id ?? [])).toEqual(numbersTo(301).slice(200));
  });
});
