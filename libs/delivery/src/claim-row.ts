import { isAntlerError } from "@antler/contracts";
import { type Logger, monotonicMs, newId } from "@antler/platform";
import type { WorkRow } from "@antler/store";

import { endRow } from "./end-row.ts";
import { refusalOf } from "./refusal.ts";
import { throughOutage } from "./through-outage.ts";
import type { WorkKind } from "./work-kind.ts";

export interface TakenRow<Row> {
  readonly row: Row;
  readonly claimId: string;
  /** Monotonic time before the claim was sent; the lease counts from here. */
  readonly claimedAtMs: number;
}

export interface Claimant {
  readonly runner: { readonly id: string; readonly pid: number };
  readonly leaseMs: number;
  readonly logger: Logger;
}

/** Claims the row of a ticket; undefined when there is nothing to do, after ending a row that must not run any more. */
export async function takeTicket<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  id: string,
  { runner, leaseMs, logger }: Claimant,
): Promise<TakenRow<Row> | undefined> {
  const claim = { id: newId(), runner_id: runner.id, pid: runner.pid };
  const claimedAtMs = monotonicMs();
  const row = await unambiguously(kind, id, {
    claimId: claim.id,
    send: () => kind.ledger.claim(id, claim, leaseMs),
    mayHold: () => monotonicMs() < claimedAtMs + leaseMs,
    logger,
  });
  if (row !== undefined) return { row, claimId: claim.id, claimedAtMs };
  await endIfOver(kind, id);
  return undefined;
}

async function endIfOver<Row extends WorkRow, Outcome>(kind: WorkKind<Row, Outcome>, id: string): Promise<void> {
  const found = await kind.ledger.getAt(id);
  const refusal = found && refusalOf(found);
  if (found === undefined || refusal?.kind !== "end") return;
  const { epoch, status } = found.row;
  await endRow(kind, found.row, { condition: { epoch, status }, ending: refusal.ending });
}

interface ClaimAttempt<Row> {
  readonly claimId: string;
  readonly send: () => Promise<Row | undefined>;
  readonly mayHold: () => boolean;
  readonly logger: Logger;
}

/**
 * A claim whose reply was lost is looked up: a row under our claim id is ours. It is asked for as long as the claim may
 * hold, for if it was given up, nobody would work on the row until its lease is over, and an attempt would be lost.
 */
async function unambiguously<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  id: string,
  { claimId, send, mayHold, logger }: ClaimAttempt<Row>,
): Promise<Row | undefined> {
  try {
    return await send();
  } catch (error) {
    if (!isAntlerError(error, "store_unavailable")) throw error;
    const row = await throughOutage(() => kind.ledger.get(id), mayHold, logger);
    if (row?.claim?.id !== claimId) throw error;
    return row;
  }
}
