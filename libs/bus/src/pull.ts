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
  /** Called on each sign that the server serves the pull. */
  readonly onSign: () => void;
}

const HEARTBEAT = 100;
const ENDED: readonly number[] = [404, 408];
const SILENCE_MARGIN_MS = 1000;
const RELEASE_LIMIT_MS = 1000;

/** Asks for one ticket. A ticket that comes when the pull is over is handed back at once. */
export async function pullOne(options: PullOptions): Promise<PullOutcome> {
  const { connection, durable, timing, signal } = options;
  if (signal.aborted) return { kind: "abandoned" };
  const { ended, end } = createEnding();
  const silence = setTimeout(end, 2 * timing.heartbeatMs + SILENCE_MARGIN_MS, lost("heartbeats missed"));
  const abandon = () => {
    end({ kind: "abandoned" });
  };
  signal.addEventListener("abort", abandon, { once: true });
  const inbox = createInbox();
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => {
      const outcome = error === null ? outcomeOf(message, inbox) : lost(error.message);
      silence.refresh();
      if (outcome?.kind !== "lost") options.onSign();
      if (outcome !== undefined && !end(outcome) && outcome.kind === "message") handBack(message);
    },
  });
  connection.publish(requestSubject(durable), requestBody(timing), { reply: inbox });
  const outcome = await ended;
  clearTimeout(silence);
  signal.removeEventListener("abort", abandon);
  await release(subscription, outcome);
  return outcome;
}

/** Settles once: `end` tells whether its outcome was the first. */
function createEnding(): { ended: Promise<PullOutcome>; end: (outcome: PullOutcome) => boolean } {
  const { promise: ended, resolve } = Promise.withResolvers<PullOutcome>();
  let isOver = false;
  const end = (outcome: PullOutcome): boolean => {
    const first = !isOver;
    isOver = true;
    resolve(outcome);
    return first;
  };
  return { ended, end };
}

function lost(reason: string): PullOutcome {
  return { kind: "lost", reason };
}

function requestSubject({ stream, name }: DurableSpec): string {
  return `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`;
}

function requestBody({ expiresMs, heartbeatMs }: PullTiming): string {
  return JSON.stringify({ batch: 1, expires: nanos(expiresMs), idle_heartbeat: nanos(heartbeatMs) });
}

/** Status messages carry the inbox as their subject, tickets their own; `undefined` while the pull goes on. */
function outcomeOf(message: Msg, inbox: string): PullOutcome | undefined {
  if (message.subject !== inbox) return { kind: "message", message };
  const { code = 0, description = "" } = message.headers ?? {};
  if (code === HEARTBEAT) return undefined;
  return ENDED.includes(code) ? { kind: "empty" } : lost(`${code} ${description}`.trim());
}

/** After a ticket or the pull's end nothing more can come; else what is on its way is awaited and handed back. */
async function release(subscription: Subscription, { kind }: PullOutcome): Promise<void> {
  const mayCome = kind === "abandoned" || kind === "lost";
  if (mayCome && !subscription.isClosed()) await drained(subscription);
  subscription.unsubscribe();
}

async function drained(subscription: Subscription): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, RELEASE_LIMIT_MS, undefined);
  await Promise.race([subscription.drain().catch(() => undefined), late]);
  clearTimeout(timer);
}
