import { isIPv4 } from "node:net";

import { AntlerError, type Config } from "@antler/contracts";

import type { GatewayApp } from "./http/gateway-app.ts";

/** @throws AntlerError `config_invalid` for an address that others than this machine can reach. */
export function assertLoopback({ host }: Pick<Config["http"], "host">): void {
  if (isLoopback(host)) return;
  const remedy = "set http.host (ANTLER_HTTP_HOST) to 127.0.0.1, and put a proxy with authentication before it";
  throw new AntlerError("config_invalid", `http.host: ${host} is not a loopback address; ${remedy}`);
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIPv4(host) && host.startsWith("127.");
}

/**
 * Binds the configured address and returns the port.
 * @throws AntlerError `address_in_use`, or `config_invalid` when the address cannot be bound.
 */
export async function listen(app: GatewayApp, { host, port }: Pick<Config["http"], "host" | "port">): Promise<number> {
  assertLoopback({ host });
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, `${host}:${port}`);
  }
  const bound = app.server.address();
  return typeof bound === "object" && bound !== null ? bound.port : port;
}

function listenError(cause: unknown, address: string): unknown {
  const { code } = cause as { code?: unknown };
  if (code === "EADDRINUSE") {
    const message = `Another process listens on ${address}; choose another http.port (ANTLER_HTTP_PORT), or stop it`;
    return new AntlerError("address_in_use", message, { cause });
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const message = `http.host and http.port: ${address} cannot be bound (${code}); choose another address`;
    return new AntlerError("config_invalid", message, { cause });
  }
  return cause;
}
