import type { DurableSpec } from "@antler/contracts";

import { busError } from "./jetstream-errors.ts";
import type { DurableState, ServerStates, StreamState } from "./server-states.ts";

/** Where a ticket was put. */
export interface TicketPlace {
  readonly stream_created: string;
  readonly seq: number;
}

/**
 * `waiting`: not yet delivered. `delivered`: handed out at least once, perhaps acknowledged. `settled`: certainly
 * acknowledged, or skipped by a consumer made later. `gone`: not in the stream any more.
 */
export type TicketState = "waiting" | "delivered" | "settled" | "gone";

/** @throws AntlerError `bus_unavailable`. */
export async function inspectTicket(states: ServerStates, spec: DurableSpec, place: TicketPlace): Promise<TicketState> {
  try {
    const state = await readTicketState(states, spec, place);
    if (state !== "gone") return state;
    states.forget();
    return await readTicketState(states, spec, place);
  } catch (error) {
    throw busError(`The ticket in ${spec.stream} cannot be looked up`, error);
  }
}

/** The consumer is read first: a stream read later knows every ticket that the consumer was given. */
async function readTicketState(states: ServerStates, spec: DurableSpec, place: TicketPlace): Promise<TicketState> {
  const durable = await states.durable(spec);
  return ticketState(place, await states.stream(spec.stream), durable);
}

export function ticketState(
  { stream_created: created, seq }: TicketPlace,
  stream: StreamState | undefined,
  durable: DurableState | undefined,
): TicketState {
  if (stream === undefined || durable === undefined || stream.created !== created) return "gone";
  if (seq < stream.firstSeq || seq > stream.lastSeq) return "gone";
  if (seq <= durable.ackFloorSeq) return "settled";
  return seq > durable.deliveredSeq ? "waiting" : "delivered";
}
