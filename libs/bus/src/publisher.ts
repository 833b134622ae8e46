import type { JetStreamClient } from "@nats-io/jetstream";
import { MsgHdrsImpl, type NatsConnection } from "@nats-io/nats-core";

import type { TraceContext } from "@antler/contracts";
import { AntlerError, encodeTicket, type StreamName, type Ticket, ticketMessageId } from "@antler/contracts";
import { delay, monotonicMs, withDeadline } from "@antler/platform";

import { abortable } from "./abortable.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { busError, isNoResponders } from "./jetstream-errors.ts";
import type { ServerStates, StreamState } from "./server-states.ts";
import type { TicketPlace } from "./ticket-state.ts";
import type { TopologyKeeper } from "./topology-keeper.ts";
import { takesSubject } from "./topology-settings.ts";
import { setTrace } from "./trace-headers.ts";

/** What the bus promises of a published ticket: it is stored, at this place. */
export interface PublishedTicket extends TicketPlace {
  /** The same publication had been stored before, within the duplicate window. */
  readonly duplicate: boolean;
}

export interface PublisherDeps {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly watch: ConnectionWatch;
  readonly states: ServerStates;
  readonly keeper: TopologyKeeper;
}

/** @throws AntlerError `payload_too_large` when the server would refuse the ticket for its size. */
export type ExpectFits = (ticket: Ticket, trace: TraceContext) => void;

export type PublishTicket = (subject: string, ticket: Ticket, trace: TraceContext) => Promise<PublishedTicket>;

const LIMIT_MS = 5000;
const PAUSE_MS = 200;
/** The counter with the most digits: a ticket that fits now fits in each later publication. */
const LATEST_DISPATCH = 999_999_999;
const STREAM_OF: Readonly<Record<Ticket["kind"], StreamName>> = { run: "RUNS", task: "TASKS", check: "CHECKS" };

interface Message {
  readonly subject: string;
  readonly stream: StreamName;
  readonly payload: Uint8Array;
  readonly headers: MsgHdrsImpl;
}

export function createPublisher(deps: PublisherDeps): PublishTicket {
  return async (subject, ticket, trace) => {
    const { payload, headers } = messageOf(ticket, trace);
    requireSize({ payload, headers }, deps.connection);
    return publishWithin(deps, { subject, stream: STREAM_OF[ticket.kind], payload, headers });
  };
}

export function createSizeCheck({ connection }: Pick<PublisherDeps, "connection">): ExpectFits {
  return (ticket, trace) => {
    requireSize(messageOf({ ...ticket, dispatch: LATEST_DISPATCH }, trace), connection);
  };
}

type Contents = Pick<Message, "payload" | "headers">;

/** Names the stream as the client does when it publishes, so that all headers are counted. */
function messageOf(ticket: Ticket, trace: TraceContext): Contents {
  const headers = new MsgHdrsImpl();
  headers.set("Nats-Msg-Id", ticketMessageId(ticket));
  headers.set("Nats-Expected-Stream", STREAM_OF[ticket.kind]);
  setTrace(headers, trace);
  return { payload: new TextEncoder().encode(encodeTicket(ticket)), headers };
}

/** The server counts headers to the payload. */
function requireSize({ payload, headers }: Contents, { info }: NatsConnection): void {
  const bytes = payload.length + headers.encode().length;
  const limit = info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (bytes <= limit) return;
  throw new AntlerError("payload_too_large", `The ticket has ${bytes} bytes with headers; NATS accepts ${limit}`);
}

/**
 * A stream that is missing is made again within the limit, and a connection that broke is waited for; both repeat the
 * publication under its message id. Any other failure is the caller's to repeat.
 */
async function publishWithin(deps: PublisherDeps, message: Message): Promise<PublishedTicket> {
  const attempt: Attempt = { untilMs: monotonicMs() + LIMIT_MS, failure: "unanswered" };
  try {
    return await withDeadline((signal) => publishUntil(deps, message, attempt, signal), LIMIT_MS);
  } catch (error) {
    const failure = deps.watch.isConnected ? attempt.failure : "disconnected";
    throw busError(`The ticket on ${message.subject} cannot be published, ${WHY[failure]}`, error, { failure });
  }
}

/** Why a publication is not known to be stored. */
type Failure = "disconnected" | "unanswered" | "no_stream";

const WHY: Readonly<Record<Failure, string>> = {
  disconnected: "the connection to NATS broke",
  unanswered: "NATS does not answer",
  no_stream: "nothing on NATS takes it",
};

interface Attempt {
  readonly untilMs: number;
  failure: Failure;
}

async function publishUntil(
  deps: PublisherDeps,
  message: Message,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<PublishedTicket> {
  for (;;) {
    await deps.keeper.usable(signal);
    attempt.failure = "unanswered";
    const published = await publishOnce(deps, message, Math.max(1, attempt.untilMs - monotonicMs()));
    if (typeof published !== "string") return published;
    attempt.failure = published;
    if (published === "no_stream") await abortable(deps.keeper.repair(`stream ${message.stream} is missing`), signal);
    await delay(PAUSE_MS, signal);
  }
}

/**
 * The stream's creation is read before: one made anew in between then makes the ticket look gone, never queued.
 */
async function publishOnce(
  { watch, states, client }: PublisherDeps,
  { subject, stream, payload, headers }: Message,
  timeout: number,
): Promise<PublishedTicket | Failure> {
  const { session } = watch;
  try {
    const state = await abortable(states.stream(stream), session);
    if (state === undefined) return "no_stream";
    requireSubject(state, stream, subject);
    const options = { headers, timeout, expect: { streamName: stream } };
    const { seq, duplicate } = await abortable(client.publish(subject, payload, options), session);
    return { stream_created: state.created, seq, duplicate };
  } catch (error) {
    if (session.aborted) return "disconnected";
    if (isNoResponders(error)) return "no_stream";
    throw error;
  }
}

/** A repetition cannot help where the stream does not take the subject. */
function requireSubject({ subjects }: StreamState, stream: StreamName, subject: string): void {
  if (takesSubject(subjects, subject)) return;
  throw new AntlerError(
    "topology_conflict",
    `Stream ${stream} does not take ${subject}: its subjects are ${subjects.join(", ")}`,
    { details: { stream, subject } },
  );
}
