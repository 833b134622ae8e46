import { connectionUrl } from "./bind-address.ts";
import { startServer } from "./server.ts";

export type { StartupError, StartupErrorCode } from "./startup-error.ts";
export { isStartupError } from "./startup-error.ts";

/** Where the server keeps its data and listens. */
export interface EmbeddedMongoOptions {
  /** Without it all data is in memory only. */
  readonly dataDir?: string;
  /** A loopback address, or the absolute path of a unix socket. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, a free port. */
  readonly port?: number;
}

/** A running embedded server. */
export interface EmbeddedMongo {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts an embedded MongoDB-wire server in this process, for tests and for trying out.
 * Throws StartupError when other machines could reach the address, or another process uses the data directory.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> {
  const { host = "127.0.0.1", port = 0, dataDir } = options;
  const server = await startServer({ host, port, ...(dataDir === undefined ? {} : { dataDir }) });
  return { url: connectionUrl(server.address), port: server.address.port, close: () => server.close() };
}
