import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

import { addLateTool, createTestServer } from "./test-server.ts";

export interface HttpTestServer extends AsyncDisposable {
  readonly url: string;
  /** Of all requests, in order. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Sessions that are open now. */
  sessions(): number;
  /** Gives the tool `b` to all sessions that are opened from now on. */
  grow(): void;
  stop(): Promise<void>;
}

/** Serves the test tools over streamable HTTP, each session with a server of its own. */
export async function startHttpServer(): Promise<HttpTestServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const headers: IncomingHttpHeaders[] = [];
  let hasGrown = false;
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    const server = createTestServer();
    if (hasGrown) addLateTool(server);
    await server.connect(transport);
    return transport;
  };
  const http = createServer((request, response) => {
    headers.push(request.headers);
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? transports.get(id) : undefined;
    if (id !== undefined && known === undefined) return void response.writeHead(404).end();
    void (known === undefined ? open() : Promise.resolve(known)).then((way) => way.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const stop = () => stopped(http);
  const grow = () => {
    hasGrown = true;
  };
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { url, headers, sessions: () => transports.size, grow, stop, [Symbol.asyncDispose]: stop };
}

async function stopped(http: Server): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
