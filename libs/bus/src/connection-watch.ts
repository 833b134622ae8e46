import type { NatsConnection, Status } from "@nats-io/transport-node";

import type { Logger } from "@antler/platform";

import { abortable } from "./abortable.ts";

/** Whether the connection stands, and who must know when that changes. */
export interface ConnectionWatch {
  readonly isConnected: boolean;
  /** Aborts when the present connection breaks. */
  readonly session: AbortSignal;
  /** Resolves as soon as the connection stands; rejects with the signal's reason. */
  connected(signal: AbortSignal): Promise<void>;
  /** Calls back on each break and on each new connection, before anybody who waits for it goes on. */
  onChange(listener: (isConnected: boolean) => void): void;
}

export function watchConnection(connection: NatsConnection, logger: Logger): ConnectionWatch {
  const listeners: ((isConnected: boolean) => void)[] = [];
  let session = new AbortController();
  let up = Promise.withResolvers<undefined>();
  let isConnected = true;
  up.resolve(undefined);

  const change = (next: boolean) => {
    if (next === isConnected) return;
    isConnected = next;
    if (next) session = new AbortController();
    else up = Promise.withResolvers();
    for (const listener of listeners) listener(next);
    if (next) up.resolve(undefined);
    else session.abort(new Error("The connection to NATS broke"));
  };

  void follow(connection, (status) => {
    if (status.type === "disconnect" || status.type === "close") change(false);
    if (status.type === "reconnect") change(true);
    logStatus(status, logger);
  });
  return {
    get isConnected() {
      return isConnected;
    },
    get session() {
      return session.signal;
    },
    connected: (signal) => abortable(up.promise, signal),
    onChange: (listener) => listeners.push(listener),
  };
}

async function follow(connection: NatsConnection, onStatus: (status: Status) => void): Promise<void> {
  for await (const status of connection.status()) onStatus(status);
}

function logStatus(status: Status, logger: Logger): void {
  if (status.type === "disconnect") logger.warn({ server: status.server }, "Connection to NATS broke");
  if (status.type === "reconnect") logger.info({ server: status.server }, "Connection to NATS stands again");
  if (status.type === "error") logger.warn({ err: status.error }, "NATS reports an error");
  if (status.type === "slowConsumer") logger.warn({ pending: status.pending }, "Subscription is behind");
}
