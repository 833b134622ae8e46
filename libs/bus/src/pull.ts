import { createInbox, type Msg, nanos, type NatsConnection, type Subscription } from "@nats-io/nats-core";

import type { DurableSpec } from "@antler/contracts";

import { handBack } from "./delivery.ts";

export interface PullTiming {
  /** How long a pull waits on the server for a ticket. */
  readonly expiresMs: number;
  /** How often the server shows that a pull still waits; at most half of `expiresMs`. */
  readonly heartbeatMs: number;
}

export type PullOutcome =
  | { readonly kind: "message"; readonly message: Msg }
  /** Nothing came within `expiresMs`. */
  | { readonly kind: "empty" }
  /** The signal aborted. */
  | { readonly kind: "abandoned" }
  /** The server does not serve the pull, or went silent. */
  | { readonly kind: "lost"; readonly reason: string };

export interface PullOptions {
  readonly connection: NatsConnection;
  readonly durable: DurableSpec;
  readonly timing: PullTiming;
  readonly signal: AbortSignal;
  /** Called on each sign of life of the server. */
  readonly onSign: () => void;
}

const HEARTBEAT = 100;
const ENDED: readonly number[] = [404, 408];
const RELEASE_LIMIT_MS = 1000;

/** Asks for one ticket. A ticket that comes when the pull is over is handed back at once. */
export async function pullOne(options: PullOptions): Promise<PullOutcome> {
  const { connection, durable, timing, signal, onSign } = options;
  const { promise, resolve } = Promise.withResolvers<PullOutcome>();
  const inbox = createInbox();
  let over = false;
  const end = (outcome: PullOutcome) => {
    over = true;
    resolve(outcome);
  };
  const silence = watchSilence(2 * timing.heartbeatMs + 1000, () => {
    end({ kind: "lost", reason: "heartbeats missed" });
  });
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => {
      if (error !== null) return void end({ kind: "lost", reason: error.message });
      silence.restart();
      if (message.subject !== inbox) {
        if (over) return void handBack(message);
        onSign();
        return void end({ kind: "message", message });
      }
      const outcome = outcomeOf(message);
      if (outcome?.kind !== "lost") onSign();
      if (outcome !== undefined) end(outcome);
    },
  });
  const abandon = () => {
    end({ kind: "abandoned" });
  };
  signal.addEventListener("abort", abandon, { once: true });
  request(connection, durable, inbox, timing);
  const outcome = await promise;
  silence.stop();
  signal.removeEventListener("abort", abandon);
  await release(subscription, outcome);
  return outcome;
}

function request(connection: NatsConnection, durable: DurableSpec, inbox: string, timing: PullTiming): void {
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${durable.stream}.${durable.name}`;
  const body = { batch: 1, expires: nanos(timing.expiresMs), idle_heartbeat: nanos(timing.heartbeatMs) };
  connection.publish(subject, JSON.stringify(body), { reply: inbox });
}

/** Reads a status message of the server; `undefined` while the pull goes on. */
function outcomeOf(message: Msg): PullOutcome | undefined {
  const { code = 0, description = "" } = message.headers ?? {};
  if (code === HEARTBEAT) return undefined;
  if (ENDED.includes(code)) return { kind: "empty" };
  return { kind: "lost", reason: `${code} ${description}`.trim() };
}

/** After a message or the pull's end nothing can come; else what is on its way is awaited and handed back. */
async function release(subscription: Subscription, { kind }: PullOutcome): Promise<void> {
  if (kind === "message" || kind === "empty" || subscription.isClosed()) {
    subscription.unsubscribe();
    return;
  }
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, RELEASE_LIMIT_MS, undefined);
  await Promise.race([subscription.drain().catch(() => undefined), late]);
  clearTimeout(timer);
  subscription.unsubscribe();
}

function watchSilence(limitMs: number, onSilence: () => void): { restart(): void; stop(): void } {
  const timer = setTimeout(onSilence, limitMs);
  return {
    restart: () => {
      timer.refresh();
    },
    stop: () => {
      clearTimeout(timer);
    },
  };
}
