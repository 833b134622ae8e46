import type { JetStreamClient } from "@nats-io/jetstream";
import { type MsgHdrs, MsgHdrsImpl, type NatsConnection } from "@nats-io/nats-core";

import type { TraceContext } from "@antler/contracts";
import { AntlerError, encodeTicket, type StreamName, type Ticket, ticketMessageId } from "@antler/contracts";
import { delay, monotonicMs } from "@antler/platform";

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
  const limit = AbortSignal.timeout(LIMIT_MS);
  const untilMs = monotonicMs() + LIMIT_MS;
  for (;;) {
    try {
      await deps.keeper.usable(limit);
      return await publishOnce(deps, message, Math.max(1, untilMs - monotonicMs()));
    } catch (error) {
      if (!isNoResponders(error) || monotonicMs() + PAUSE_MS > untilMs)
        throw busError(`The ticket on ${message.subject} cannot be published`, error);
    }
    void deps.keeper.repair("publication without a stream");
    await delay(PAUSE_MS);
  }
}

/** The stream's age is read before: a stream made anew in between then makes the ticket look gone, never queued. */
async function publishOnce(deps: PublisherDeps, message: Message, timeoutMs: number): Promise<PublishedTicket> {
  const state = await deps.states.stream(message.stream);
  const { seq, duplicate } = await deps.client.publish(message.subject, message.payload, {
    headers: message.headers,
    timeout: timeoutMs,
    expect: { streamName: message.stream },
  });
  return { stream_created: state?.created ?? "", seq, duplicate };
}
