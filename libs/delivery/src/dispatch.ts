import type { Bus } from "@antler/bus";
import { isAntlerError, messageOf, ticketSubject } from "@antler/contracts";
import type { Logger } from "@antler/platform";
import type { WorkRow } from "@antler/store";

import type { WorkKind } from "./work-kind.ts";

/**
 * Publishes the claim ticket of a row that stands in the ledger, then records where the ticket lies.
 * A bus or store that cannot be reached, or does not take the ticket, is no error: the row is accepted, and the
 * reconciler publishes it.
 */
export async function dispatch<Row extends WorkRow, Outcome>(
  kind: Pick<WorkKind<Row, Outcome>, "name" | "ledger" | "ticketOf">,
  row: Row,
  { bus, logger }: { readonly bus: Bus; readonly logger: Logger },
): Promise<void> {
  try {
    const { stream_created, seq } = await bus.publishTicket(
      ticketSubject(row.pool, row.lane),
      kind.ticketOf(row),
      row.trace,
    );
    await kind.ledger.recordTicket(row._id, row.dispatch, { stream_created, seq });
  } catch (error) {
    if (!isAntlerError(error, "bus_unavailable", "store_unavailable", "topology_conflict")) throw error;
    logger.warn({ id: row._id, kind: kind.name, err: messageOf(error) }, "Ticket is left to the reconciler");
  }
}
