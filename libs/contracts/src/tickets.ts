import { z } from "zod";

import { RunId, TaskId } from "./ids.ts";
import { headOf } from "./text-bounds.ts";

/** The version that is written and the only one there is; tickets of a higher one are told apart from malformed ones. */
export const TICKET_VERSION = 1;

const counters = {
  version: z.literal(1),
  /** Number of this publication; together with the id it makes the message id. */
  dispatch: z.int().min(1),
  round: z.int().min(0),
};

/** Claim tickets: ids and counters only. Inputs and outputs live in the ledgers. */
export const RunTicket = z.object({ kind: z.literal("run"), id: RunId, ...counters });
export const TaskTicket = z.object({ kind: z.literal("task"), id: TaskId, run_id: RunId, ...counters });
export const CheckTicket = z.object({ kind: z.literal("check"), id: z.string().min(1).max(80), ...counters });
export const Ticket = z.discriminatedUnion("kind", [RunTicket, TaskTicket, CheckTicket]);

export type RunTicket = z.infer<typeof RunTicket>;
export type TaskTicket = z.infer<typeof TaskTicket>;
export type CheckTicket = z.infer<typeof CheckTicket>;
export type Ticket = z.infer<typeof Ticket>;

export type TicketReading =
  | { readonly kind: "ticket"; readonly ticket: Ticket }
  | { readonly kind: "unknown_version"; readonly version: number }
  | { readonly kind: "malformed"; readonly reason: string };

/** The bus's message id: `<id>:<dispatch>`. A new publication needs a new dispatch, also after an ack. */
export function ticketMessageId(ticket: { id: string; dispatch: number }): string {
  return `${ticket.id}:${ticket.dispatch}`;
}

export function encodeTicket(ticket: Ticket): string {
  return JSON.stringify(ticket);
}

/** Reads a ticket. Never throws: what cannot be read is told apart from what a newer version wrote. */
export function readTicket(text: string): TicketReading {
  const value = parseJson(text);
  if (value === undefined) return { kind: "malformed", reason: "not JSON" };
  const version = versionOf(value);
  if (version !== undefined && version > TICKET_VERSION) return { kind: "unknown_version", version };
  const parsed = Ticket.safeParse(value);
  return parsed.success
    ? { kind: "ticket", ticket: parsed.data }
    : { kind: "malformed", reason: headOf(z.prettifyError(parsed.error), 500) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionOf(value: unknown): number | undefined {
  const header = z.object({ version: z.int().min(1) }).safeParse(value);
  return header.success ? header.data.version : undefined;
}
