import type { DurableSpec } from "@antler/contracts";

import { busError } from "./jetstream-errors.ts";
import type { DurableState, ServerStates, StreamState } from "./server-states.ts";
import type { TopologyKeeper } from "./topology-keeper.ts";

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

export interface InspectorDeps {
  readonly states: ServerStates;
  readonly keeper: TopologyKeeper;
}

/** @throws AntlerError `bus_unavailable`. */
type InspectTicket = (spec: DurableSpec, place: TicketPlace) => Promise<TicketState>;

export function createTicketInspector(deps: InspectorDeps): InspectTicket {
  return async (spec, place) => {
    try {
      const state = await readTicketState(deps, spec, place);
      return state === "gone" ? await readAgain(deps, spec, place) : state;
    } catch (error) {
      throw busError(`The ticket in ${spec.stream} cannot be looked up`, error);
    }
  };
}

/** A ticket may be younger than what is known of its stream, so `gone` needs a fresh reading. */
function readAgain(deps: InspectorDeps, spec: DurableSpec, place: TicketPlace): Promise<TicketState> {
  deps.states.forget();
  return readTicketState(deps, spec, place);
}

/** The consumer is read first: a stream read later knows every ticket that the consumer was given. */
async function readTicketState(deps: InspectorDeps, spec: DurableSpec, place: TicketPlace): Promise<TicketState> {
  const durable = await deps.states.durable(spec);
  const stream = await deps.states.stream(spec.stream);
  if (durable === undefined) void deps.keeper.repair(`consumer ${spec.name} is missing`);
  return ticketState(place, stream, durable);
}

export function ticketState(
  { stream_created: created, seq }: TicketPlace,
  stream: Omit<StreamState, "subjects"> | undefined,
  durable: DurableState | undefined,
): TicketState {
  if (stream === undefined || durable === undefined || stream.created !== created) return "gone";
  if (seq < stream.firstSeq || seq > stream.lastSeq) return "gone";
  return stateInDurable(seq, durable);
}

/** The acknowledgement floor moves only with an acknowledgement; with nothing in flight all that was delivered is. */
function stateInDurable(seq: number, { startSeq, deliveredSeq, inFlight, ackFloorSeq }: DurableState): TicketState {
  if (seq < startSeq || seq <= ackFloorSeq) return "settled";
  if (seq > deliveredSeq) return "waiting";
  return inFlight === 0 ? "settled" : "delivered";
}
