import type { Msg, NatsConnection } from "@nats-io/nats-core";

import type { TraceContext } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import { headersOf, traceOf } from "./trace-headers.ts";

/** One delivery of a ticket. The first of `ack` and `nak` counts; what comes later does nothing. */
export interface Delivery {
  readonly text: string;
  readonly subject: string;
  readonly stream: string;
  readonly streamSeq: number;
  /** Deliveries as far as the server remembers them; a crash of it makes it forget some. */
  readonly deliveryCount: number;
  /** Time since publication, by the server's clock alone; rejects when the server does not answer within 2 s. */
  ageMs(): Promise<number>;
  readonly headers: Readonly<Record<string, string>>;
  readonly trace: TraceContext | null;
  /** Resolves when the server confirmed, or after 2 s; never rejects. A lost ack means another delivery. */
  ack(): Promise<void>;
  /** Hands the ticket back, for another delivery after `delayMs`. It holds its place of concurrency until then. */
  nak(delayMs?: number): void;
  /** Begins the time for the acknowledgement anew. */
  working(): void;
}

const ANSWER_LIMIT_MS = 2000;
const NANOS_PER_MS = 1_000_000;

export function createDelivery(connection: NatsConnection, message: Msg, logger: Logger): Delivery {
  const { stream, durable, streamSeq, deliveryCount, publishedMs } = readReply(message.reply ?? "");
  const headers = headersOf(message.headers);
  let settled = false;
  const settle = (): boolean => {
    const first = !settled;
    settled = true;
    return first;
  };
  return {
    text: message.string(),
    subject: message.subject,
    stream,
    streamSeq,
    deliveryCount,
    ageMs: async () => Math.max(0, (await lastDeliveryMs(connection, { stream, durable })) - publishedMs),
    headers,
    trace: traceOf(headers),
    ack: async () => {
      if (settle()) await confirm(connection, message, logger);
    },
    nak: (delayMs) => {
      if (settle()) handBack(message, delayMs);
    },
    working: () => {
      if (!settled) respond(message, "+WPI");
    },
  };
}

/** Hands a message back without reading it. */
export function handBack(message: Msg, delayMs = 0): void {
  const wait = delayMs <= 0 ? "" : ` ${JSON.stringify({ delay: Math.round(delayMs * NANOS_PER_MS) })}`;
  respond(message, `-NAK${wait}`);
}

async function confirm(connection: NatsConnection, message: Msg, logger: Logger): Promise<void> {
  try {
    await connection.request(message.reply ?? "", "+ACK", { timeout: ANSWER_LIMIT_MS });
  } catch (error) {
    logger.warn({ err: error, subject: message.subject }, "Acknowledgement was not confirmed");
  }
}

/** A closed connection is no error here: the server delivers the ticket again. */
function respond(message: Msg, answer: string): void {
  try {
    message.respond(answer);
  } catch {
    return;
  }
}

/** When the durable last delivered anything, by the server's clock: not before the delivery in hand. */
async function lastDeliveryMs(connection: NatsConnection, at: Pick<ReplyFacts, "stream" | "durable">): Promise<number> {
  const subject = `$JS.API.CONSUMER.INFO.${at.stream}.${at.durable}`;
  const answer = await connection.request(subject, "", { timeout: ANSWER_LIMIT_MS });
  const { delivered } = answer.json<{ delivered?: { last_active?: string } }>();
  const lastMs = Date.parse(delivered?.last_active ?? "");
  if (Number.isNaN(lastMs)) throw new Error(`NATS does not say when ${at.durable} last delivered`);
  return lastMs;
}

interface ReplyFacts {
  readonly stream: string;
  readonly durable: string;
  readonly streamSeq: number;
  readonly deliveryCount: number;
  readonly publishedMs: number;
}

/** `$JS.ACK.[<domain>.<account>.]<stream>.<durable>.<deliveries>.<stream seq>.<consumer seq>.<nanos>.<pending>…` */
function readReply(reply: string): ReplyFacts {
  const tokens = reply.split(".");
  const [stream = "", durable = "", deliveries, streamSeq, , nanos] = tokens.slice(tokens.length === 9 ? 2 : 4);
  return {
    stream,
    durable,
    streamSeq: Number(streamSeq),
    deliveryCount: Number(deliveries),
    publishedMs: Number(nanos) / NANOS_PER_MS,
  };
}
