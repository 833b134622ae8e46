import type { Msg, NatsConnection } from "@nats-io/nats-core";

import type { Logger } from "@antler/platform";

import { createDelivery, type Delivery } from "./delivery.ts";
import { jittered } from "./jitter.ts";

export interface HandsOptions {
  readonly connection: NatsConnection;
  readonly slots: number;
  readonly handle: (delivery: Delivery) => Promise<void>;
  readonly logger: Logger;
  readonly onFreed: () => void;
}

/** The deliveries in hand: each is owned by its handler until that settles. */
export interface Hands {
  readonly count: number;
  readonly isFree: boolean;
  take(message: Msg): void;
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>;
}

const RETRY_MS = 1000;

export function createHands({ connection, slots, handle, logger, onFreed }: HandsOptions): Hands {
  const inHand = new Set<Promise<void>>();
  const execute = async (message: Msg) => {
    const delivery = createDelivery(connection, message, logger);
    try {
      await handle(delivery);
    } catch (error) {
      logger.error({ err: error, stream_seq: delivery.streamSeq }, "Handler failed; the ticket is handed back");
      delivery.nak(jittered(RETRY_MS));
    }
  };
  return {
    get count() {
      return inHand.size;
    },
    get isFree() {
      return inHand.size < slots;
    },
    take: (message) => {
      const task = execute(message).finally(() => {
        inHand.delete(task);
        onFreed();
      });
      inHand.add(task);
    },
    idle: async () => {
      while (inHand.size > 0) await Promise.all(inHand);
    },
  };
}
