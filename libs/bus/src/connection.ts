import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";

import { AntlerError, isAntlerError, messageOf } from "@antler/contracts";
import { delay, type Logger, monotonicMs, withoutCredentials } from "@antler/platform";

import { type ServerAddress, serverAddressOf } from "./server-address.ts";

export interface ConnectionOptions {
  readonly url: string;
  /** Name of the client, as the server's monitoring shows it. */
  readonly name: string;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  readonly connectTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
const ATTEMPT_MS = 2000;
const PAUSE_MS = 250;
const SETTINGS = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  ignoreAuthErrorAbort: true,
  pingInterval: 10_000,
  maxPingOut: 2,
  noAsyncTraces: true,
};

/**
 * A connection to a server whose JetStream answers. It reconnects for ever once it was made.
 * @throws AntlerError `bus_unavailable` naming NATS_URL after `connectTimeoutMs`; `config_invalid`; the signal's reason.
 */
export async function connectNats(options: ConnectionOptions): Promise<NatsConnection> {
  const address = serverAddressOf(options.url);
  const untilMs = monotonicMs() + (options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      return await attempt(options.name, address, untilMs);
    } catch (error) {
      if (isAntlerError(error)) throw error;
      if (monotonicMs() + PAUSE_MS >= untilMs) throw unreachable(options.url, error);
      options.logger.debug({ err: error }, "NATS cannot be reached yet");
    }
    await delay(PAUSE_MS, options.signal);
  }
}

async function attempt(name: string, address: ServerAddress, untilMs: number): Promise<NatsConnection> {
  const timeout = Math.max(100, Math.min(ATTEMPT_MS, untilMs - monotonicMs()));
  const connection = await connect({ ...SETTINGS, ...address, name, timeout });
  try {
    await jetstreamManager(connection, { timeout });
    return connection;
  } catch (error) {
    await connection.close();
    throw isWithoutJetStream(error) ? withoutJetStream(error) : error;
  }
}

function isWithoutJetStream(error: unknown): boolean {
  return error instanceof Error && /jetstream.*not enabled/i.test(error.message);
}

function withoutJetStream(cause: unknown): AntlerError {
  const message = "The NATS server at NATS_URL runs without JetStream. Start nats-server with -js";
  return new AntlerError("bus_unavailable", message, { cause });
}

function unreachable(url: string, cause: unknown): AntlerError {
  const message = `NATS cannot be reached at ${withoutCredentials(url)} (NATS_URL): ${messageOf(cause)}`;
  return new AntlerError("bus_unavailable", message, { cause });
}
