import type { JetStreamClient } from "@nats-io/jetstream";
import { type MsgHdrs, MsgHdrsImpl, type NatsConnection } from "@nats-io/nats-core";

import type { TraceContext } from "@antler/contracts";
import { AntlerError, encodeTicket, type StreamName, type Ticket, ticketMessageId } from "@antler/contracts";
import { delay, monotonicMs, withDeadline } from "@antler/platform";

import { abortable } from "./abortable.ts";
import { busError, isNoResponders } from "./jetstream-errors.ts";
import type { ServerStates } from "./server-states.ts";
import type { TicketPlace } from "./ticket-state.ts";
import type { TopologyKeeper } from "./topology-keeper.ts";
import { setTrace } from "./trace-headers.ts";

/** What the bus promises of a published ticket: it is stored, at this place. */
export interface PublishedTicket extends TicketPlace {
  /** The same publication had been stored before, within the duplicate window. */
  readonly duplicate: boolean;
}

export interface PublisherDeps {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly states: ServerStates;
  readonly keeper: TopologyKeeper;
}

export type PublishTicket = (subject: string, ticket: Ticket, trace: TraceContext) => Promise<PublishedTicket>;

const LIMIT_MS = 5000;
const PAUSE_MS = 200;
const STREAM_OF: Readonly<Record<Ticket["kind"], StreamName>> = { run: "RUNS", task: "TASKS", check: "CHECKS" };

interface Message {
  readonly subject: string;
  readonly stream: StreamName;
  readonly payload: Uint8Array;
  readonly headers: MsgHdrs;
}

export function createPublisher(deps: PublisherDeps): PublishTicket {
  return async (subject, ticket, trace) => {
    const headers = new MsgHdrsImpl();
    headers.set("Nats-Msg-Id", ticketMessageId(ticket));
    setTrace(headers, trace);
    const payload = new TextEncoder().encode(encodeTicket(ticket));
    requireSize(payload.length + headers.encode().length, deps.connection);
    return publishWithin(deps, { subject, stream: STREAM_OF[ticket.kind], payload, headers });
  };
}

/** The server counts headers to the payload. */
function requireSize(bytes: number, { info }: NatsConnection): void {
  const limit = info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (bytes <= limit) return;
  throw new AntlerError("payload_too_large", `The ticket has ${bytes} bytes with headers; NATS accepts ${limit}`);
}

/** A stream that is missing is made again within the limit; any other failure is the caller's to repeat. */
async function publishWithin(deps: PublisherDeps, message: Message): Promise<PublishedTicket> {
  const untilMs = monotonicMs() + LIMIT_MS;
  try {
    return await withDeadline((signal) => publishUntil(deps, message, { untilMs, signal }), LIMIT_MS);
  } catch (error) {
    throw busError(`The ticket on ${message.subject} cannot be published`, error);
  }
}

interface Limit {
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

async function publishUntil(deps: PublisherDeps, message: Message, limit: Limit): Promise<PublishedTicket> {
  for (;;) {
    await deps.keeper.usable(limit.signal);
    const published = await publishOnce(deps, message, Math.max(1, limit.untilMs - monotonicMs()));
    if (published !== undefined) return published;
    await abortable(deps.keeper.repair(`stream ${message.stream} is missing`), limit.signal);
    await delay(PAUSE_MS, limit.signal);
  }
}

/**
 * `undefined` when there is no such stream. The stream's creation is read before: one made anew in between then makes
 * the ticket look gone, never queued.
 */
async function publishOnce(
  { states, client }: PublisherDeps,
  { subject, stream, payload, headers }: Message,
  timeout: number,
): Promise<PublishedTicket | undefined> {
  const state = await states.stream(stream);
  if (state === undefined) return undefined;
  try {
    const { seq, duplicate } = await client.publish(subject, payload, {
      headers,
      timeout,
      expect: { streamName: stream },
    });
    return { stream_created: state.created, seq, duplicate };
  } catch (error) {
    if (isNoResponders(error)) return undefined;
    throw error;
  }
}
