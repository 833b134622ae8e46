import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { createGatewayClient } from "../../src/demo/gateway/gateway-client.ts";
import { packWorkspace } from "../../src/demo/workspace/pack-workspace.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const signal = new AbortController().signal;

describe("the demo's client of a gateway", () => {
  it("resumes a broken stream after the last event that it has seen", async () => {
    const resumedAfter: (string | undefined)[] = [];
    const url = await serve(({ headers }, response) => {
      resumedAfter.push(headers["last-event-id"] as string | undefined);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (resumedAfter.length === 1) {
        response.write('event: values\ndata: {"n":1}\nid: 1\n\n', () => response.destroy());
      } else {
        response.end('event: values\ndata: {"n":2}\nid: 2\n\nevent: end\ndata: {}\nid: 3\n\n');
      }
    });

    const frames = await Array.fromAsync(createGatewayClient(url).followRun({ threadId: "t", runId: "r" }, signal));

    expect(frames.map(({ event, data }) => [event, data])).toEqual([
      ["values", { n: 1 }],
      ["values", { n: 2 }],
      ["end", {}],
    ]);
    expect(resumedAfter).toEqual([undefined, "1"]);
  });

  it("keeps the last event that it has seen through a connection that brings none [FC-D06]", async () => {
    const resumedAfter: (string | undefined)[] = [];
    const url = await serve(({ headers }, response) => {
      resumedAfter.push(headers["last-event-id"] as string | undefined);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (resumedAfter.length === 1)
        response.write('event: values\ndata: {"n":7}\nid: 7\n\n', () => response.destroy());
      else if (resumedAfter.length === 2) response.write("event: metadata\ndata: {}\n\n", () => response.destroy());
      else if (resumedAfter.length === 3) response.destroy();
      else response.end("event: end\ndata: {}\nid: 8\n\n");
    });

    const frames = await Array.fromAsync(createGatewayClient(url).followRun({ threadId: "t", runId: "r" }, signal));

    expect(frames.at(-1)).toMatchObject({ event: "end" });
    expect(resumedAfter).toEqual([undefined, "7", "7", "7"]);
  });

  it("passes on the gateway's words and remedy", async () => {
    const url = await serve((_, response) => {
      const problem = {
        type: "t",
        title: "T",
        status: 429,
        detail: "Queue is full",
        code: "queue_full",
        remedy: "Wait.",
      };
      response.writeHead(429, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    });

    await expect(createGatewayClient(url).createThread()).rejects.toThrow("Queue is full (queue_full). Wait.");
  });

  it("says which request a gateway that is gone did not answer", async () => {
    await expect(createGatewayClient("http://127.0.0.1:1").createThread()).rejects.toThrow(
      "The gateway did not answer POST /threads",
    );
  });

  it("tells of a file that cannot be read, not of the broken upload", async () => {
    const url = await serve((request, response) => {
      request.on("end", () => response.end("{}")).resume();
    });
    const lost = { path: "a.ts", hostPath: "/nowhere/a.ts", sizeBytes: 10, mode: 0o644 };

    await expect(createGatewayClient(url).uploadWorkspace("t", packWorkspace([lost]), signal)).rejects.toThrow(/a\.ts/);
  });
});
