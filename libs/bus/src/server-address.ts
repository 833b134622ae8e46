import { AntlerError } from "@antler/contracts";

/** What the client needs of NATS_URL: it takes credentials apart from the servers. */
export interface ServerAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls?: Record<string, never>;
}

const SCHEMES = ["nats:", "tls:"];

/**
 * Reads one URL or several separated by commas; `user:password@` or `token@` of the first one is for all.
 * @throws AntlerError `config_invalid` naming NATS_URL.
 */
export function serverAddressOf(text: string): ServerAddress {
  const urls = text.split(",").map((part) => urlOf(part.trim()));
  const servers = urls.map(({ host }) => host);
  const tls = urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {};
  return { servers, ...credentialsOf(urls[0]), ...tls };
}

function urlOf(text: string): URL {
  const url = URL.parse(text.includes("://") ? text : `nats://${text}`);
  if (url !== null && SCHEMES.includes(url.protocol) && url.host !== "") return url;
  throw new AntlerError("config_invalid", "NATS_URL (nats.url) must be nats://host:port or tls://host:port");
}

function credentialsOf(url: URL | undefined): { user?: string; pass?: string; token?: string } {
  if (url === undefined || url.username === "") return {};
  const name = decodeURIComponent(url.username);
  return url.password === "" ? { token: name } : { user: name, pass: decodeURIComponent(url.password) };
}
