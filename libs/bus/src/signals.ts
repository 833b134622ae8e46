import type { NatsConnection } from "@nats-io/nats-core";

import type { Logger } from "@antler/platform";

import type { ConnectionWatch } from "./connection-watch.ts";

export interface Subscription {
  close(): void;
}

export type SignalHandler = (payload: unknown, subject: string) => void;

/** Messages that may be lost: whoever waits for one also re-reads the ledger. */
export interface Signals {
  signal(subject: string, payload: object): void;
  subscribe(subject: string, handler: SignalHandler): Subscription;
}

export function createSignals(connection: NatsConnection, watch: ConnectionWatch, logger: Logger): Signals {
  const receive = (handler: SignalHandler, subject: string, text: string) => {
    try {
      handler(JSON.parse(text) as unknown, subject);
    } catch (error) {
      logger.warn({ err: error, subject }, "Signal could not be handled");
    }
  };
  return {
    signal: (subject, payload) => {
      if (!watch.isConnected) return;
      try {
        connection.publish(subject, JSON.stringify(payload));
      } catch (error) {
        logger.debug({ err: error, subject }, "Signal was dropped");
      }
    },
    subscribe: (subject, handler) => {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) receive(handler, message.subject, message.string());
          else logger.warn({ err: error, subject }, "Subscription failed");
        },
      });
      return {
        close: () => {
          subscription.unsubscribe();
        },
      };
    },
  };
}
