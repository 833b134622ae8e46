import { isIP, isIPv6 } from "node:net";

import { StartupError } from "./startup-error.ts";

/** Where a server listens: a TCP address, or a unix socket when `host` is an absolute path. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** Tells whether a host is the path of a unix socket. */
export function isSocketPath(host: string): boolean {
  return host.startsWith("/");
}

/** Refuses an address that other machines can reach: the server has no authentication. Throws StartupError. */
export function refuseReachableAddress({ host, port }: BindAddress): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new StartupError("bad_argument", `Port ${String(port)} is not between 0 and 65535.`);
  }
  if (isSocketPath(host) || host === "localhost" || host === "::1") return;
  if (isIP(host) === 4 && host.startsWith("127.")) return;
  const reason = "has no authentication and listens on loopback addresses and unix sockets only";
  throw new StartupError("address_refused", `Host ${host} is refused: the embedded server ${reason}. Use 127.0.0.1.`);
}

/** The connection string of a listening server. */
export function connectionUrl({ host, port }: BindAddress): string {
  if (isSocketPath(host)) return `mongodb://${encodeURIComponent(host)}/?directConnection=true`;
  return `mongodb://${hostAndPort({ host, port })}/?directConnection=true`;
}

/** The address as drivers write it. */
export function hostAndPort({ host, port }: BindAddress): string {
  return isIPv6(host) ? `[${host}]:${String(port)}` : `${host}:${String(port)}`;
}
