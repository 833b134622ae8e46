import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { AntlerError } from "@antler/contracts";

import { processMetrics } from "./process-metrics.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Why the process is not ready. */
  readonly reasons: readonly string[];
}

export interface HealthServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Cached state; never a live question to a dependency. */
  readonly isReady: () => Readiness;
  /** Lines in Prometheus' text format, beside those of the process. */
  readonly metrics?: () => string;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/livez` (200 while the process runs), `/readyz` (200 or 503 with reasons) and `/metrics`.
 * @throws AntlerError `address_in_use`, or `config_invalid` when the address cannot be bound.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    send(response, replyTo(request, options));
  });
  await listen(server, options);
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function replyTo({ method, url }: IncomingMessage, options: HealthServerOptions): Reply {
  if (method !== "GET" && method !== "HEAD") return plain(405, "Only GET\n");
  const [path = "/"] = (url ?? "/").split("?");
  switch (path) {
    case "/livez":
      return plain(200, "ok\n");
    case "/readyz":
      return readiness(options.isReady());
    case "/metrics":
      return plain(200, `${processMetrics()}${options.metrics?.() ?? ""}`);
    default:
      return plain(404, "Routes: /livez /readyz /metrics\n");
  }
}

function plain(status: number, body: string): Reply {
  return { status, type: "text/plain; version=0.0.4; charset=utf-8", body };
}

function readiness({ ready, reasons }: Readiness): Reply {
  return { status: ready ? 200 : 503, type: "application/json", body: `${JSON.stringify({ ready, reasons })}\n` };
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function listen(server: Server, { host, port }: HealthServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const fail = (error: Error) => {
    reject(listenError(error, host, port));
  };
  server.once("error", fail);
  server.listen(port, host, () => {
    server.off("error", fail);
    resolve(undefined);
  });
  return promise;
}

function listenError(error: Error & { code?: string }, host: string, port: number): AntlerError {
  if (error.code === "EADDRINUSE") {
    const message = `Another process listens on ${host}:${port}. Choose another http.health_port (ANTLER_HEALTH_PORT)`;
    return new AntlerError("address_in_use", message, { cause: error });
  }
  const message = `http.health_host ${host} with port ${port} cannot be bound: ${error.message}`;
  return new AntlerError("config_invalid", message, { cause: error });
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  server.close(() => {
    resolve(undefined);
  });
  server.closeAllConnections();
  await promise;
}
