import type { Delivery } from "@antler/bus";
import { AntlerError, readTicket, type Ticket } from "@antler/contracts";

export type DeliveryReading =
  | { readonly kind: "ticket"; readonly ticket: Ticket }
  | { readonly kind: "hand_back"; readonly delayMs: number }
  | { readonly kind: "bury"; readonly reason: string };

/** How long a ticket of a newer version is handed back, so that a rollout can finish. */
const UNKNOWN_VERSION_PATIENCE_MS = 10 * 60_000;
const HAND_BACK_DELAY_MS = 5000;

/** What to do with a message before anything of the ledger is touched. */
export async function readDelivery(
  message: Pick<Delivery, "text" | "ageMs">,
  expected: Ticket["kind"],
): Promise<DeliveryReading> {
  const reading = readTicket(message.text);
  if (reading.kind === "malformed") return { kind: "bury", reason: `Ticket is malformed: ${reading.reason}` };
  if (reading.kind === "unknown_version") {
    if ((await message.ageMs()) < UNKNOWN_VERSION_PATIENCE_MS)
      return { kind: "hand_back", delayMs: HAND_BACK_DELAY_MS };
    return { kind: "bury", reason: `Ticket version ${reading.version} is unknown` };
  }
  if (reading.ticket.kind === expected) return { kind: "ticket", ticket: reading.ticket };
  return { kind: "bury", reason: `Ticket is for a ${reading.ticket.kind}, expected a ${expected}` };
}

export function drainError(): AntlerError {
  return new AntlerError("drained", "The process is shutting down; the work continues elsewhere");
}
