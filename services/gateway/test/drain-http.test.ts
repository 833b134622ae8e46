import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { type Gateway, type GatewayStack, startGatewayStack, SUCCESS } from "./gateway-stack.ts";
import { newThread, post } from "./http-client.ts";

let stack: GatewayStack;
const sockets: Socket[] = [];

beforeAll(async () => {
  stack = await startGatewayStack();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => stack.stop());

const never = new AbortController().signal;

function openGateway(noticeSeconds = 0): Promise<Gateway> {
  return stack.open({ document: { http: { drain_notice_seconds: noticeSeconds } } });
}

async function openSocket(url: string, text = ""): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** A connection is closed also by a reset: what the client sent last may not have been read. */
function closeOf(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** A client that keeps its connection. */
function keepAliveClient(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return {
    async get(path: string) {
      const sent = request(`${url}${path}`, { agent }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return { status: response.statusCode, connection: response.headers.connection, reused: sent.reusedSocket };
    },
  };
}

/** A run whose lead waits, and the response that waits for it. */
async function waitingFor(gateway: Gateway) {
  const goOn = Promise.withResolvers<typeof SUCCESS>();
  stack.play(() => goOn.promise);
  const threadId = await newThread(gateway.url);
  const response = await post(`${gateway.url}/threads/${threadId}/runs/wait`, { assistant_id: "lead" });
  return { response, finish: () => goOn.resolve(SUCCESS) };
}

describe("a gateway that drains", () => {
  it("serves on for the notice, and ends each connection with its answer [FC-D11]", async () => {
    const gateway = await openGateway(0.5);
    const client = keepAliveClient(gateway.url);
    expect(await client.get("/ok")).toMatchObject({ status: 200, connection: "keep-alive" });
    const drained = gateway.drain(never);

    expect(await client.get("/ok")).toEqual({ status: 200, connection: "close", reused: true });
    expect(await client.get("/ok")).toEqual({ status: 200, connection: "close", reused: false });
    await drained;
    await expect(client.get("/ok")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it.each([
    ["says nothing", ""],
    ["sent half a head", "GET /ok HTTP/1.1\r\nhost: gate"],
    ["has its answer and stays", "GET /ok HTTP/1.1\r\nhost: gateway\r\n\r\n"],
  ])("does not wait for a connection that %s", async (_name, text) => {
    const gateway = await openGateway();
    const socket = await openSocket(gateway.url, text);
    if (text.endsWith("\r\n\r\n")) await once(socket, "data");
    const closed = closeOf(socket);

    await expect(Promise.all([gateway.drain(never), closed])).resolves.toBeDefined();
  });

  it("waits for half a body until the cutoff, then cuts it off", { timeout: 20_000 }, async () => {
    const gateway = await openGateway();
    const underWay = once(gateway.app.server, "request");
    const socket = await openSocket(
      gateway.url,
      "POST /threads HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    await underWay;
    const closed = closeOf(socket);
    const cutoff = new AbortController();
    const drained = gateway.drain(cutoff.signal);
    cutoff.abort();

    await expect(Promise.all([drained, closed])).resolves.toBeDefined();
  });

  it("lets a waiting request have its answer [FC-D08]", async () => {
    const gateway = await openGateway();
    const { response, finish } = await waitingFor(gateway);
    const drained = gateway.drain(never);
    await once(gateway.closing, "abort");
    finish();

    expect(await response.json()).toMatchObject({ answer: 42 });
    await drained;
  });

  it("tells a request that waits beyond the cutoff to wait elsewhere", async () => {
    const gateway = await openGateway();
    const { response, finish } = await waitingFor(gateway);
    const cutoff = new AbortController();
    const drained = gateway.drain(cutoff.signal);
    await once(gateway.closing, "abort");
    cutoff.abort();

    expect(await response.json()).toMatchObject({ status: "pending", error: { code: "shutting_down" } });
    await drained;
    finish();
  });
});
