import { isAntlerError, messageOf } from "@antler/contracts";
import { type Logger } from "@antler/platform";
import type { Fence, Settlement, WorkRow } from "@antler/store";

import type { TakenRow } from "./claim-row.ts";
import { dispositionOf } from "./disposition.ts";
import { type HeldLease, holdLease, type Lease } from "./lease.ts";
import { payDuties } from "./pay-duties.ts";
import { CANCEL_GRACE_MS } from "./sweep-tasks.ts";
import { throughOutage } from "./through-outage.ts";
import type { Ending, WorkKind } from "./work-kind.ts";

export interface ExecutionDeps<Row extends WorkRow, Outcome> {
  readonly kind: WorkKind<Row, Outcome>;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly renewalMs: number;
  readonly execute: (row: Row, lease: Lease) => Promise<Outcome>;
  /** Makes the lease known to cancel signals and drain; returns its removal. */
  readonly track: (row: WorkRow, lease: HeldLease) => () => void;
}

/** `handed_back`: the row is free and due, so that another process may take it at once. */
export type Execution = "over" | "handed_back";

/** Works on a claimed row under a heartbeat and stores how it ended. Never throws for what the work did. */
export async function executeClaimed<Row extends WorkRow, Outcome>(
  deps: ExecutionDeps<Row, Outcome>,
  { row, claimId, claimedAtMs }: TakenRow<Row>,
  working: () => void,
): Promise<Execution> {
  const { kind, leaseMs, renewalMs, logger } = deps;
  const fence = { id: row._id, epoch: row.epoch, claimId };
  const lease = holdLease({
    fence,
    attempt: row.attempt,
    round: row.round,
    claimedAtMs,
    leaseMs,
    renewalMs,
    executionLimitMs: executionLimitOf(row),
    renew: () => kind.ledger.renew(fence, leaseMs),
    working,
    logger,
  });
  const untrack = deps.track(row, lease);
  try {
    const settlement = await settlementOf(deps, row, lease);
    if (settlement === "handed_back") return settlement;
    if (settlement !== undefined) await store(deps, { row, lease, settlement });
    return "over";
  } finally {
    untrack();
    lease.stop();
  }
}

/** The time from the claim to the execution deadline; both dates are the store's and of this claim. */
function executionLimitOf({
  execution_deadline_at: end,
  started_at: begin,
  execution_limit_ms: limitMs,
}: WorkRow): number {
  return end === null || begin === null ? limitMs : end.getTime() - begin.getTime();
}

async function settlementOf<Row extends WorkRow, Outcome>(
  { kind, execute, logger }: ExecutionDeps<Row, Outcome>,
  row: Row,
  lease: HeldLease,
): Promise<Settlement | "handed_back" | undefined> {
  try {
    await kind.begin(row);
    lease.assertHeld();
    return kind.settlementOf(await execute(row, lease));
  } catch (thrown) {
    const disposition = dispositionOf(thrown, lease.signal);
    logger.info({ id: row._id, kind: kind.name, disposition, err: messageOf(thrown) }, "Execution was stopped");
    if (disposition.kind === "end") return endingSettlement(kind, row, disposition.ending);
    if (disposition.kind === "abandon") return undefined;
    return handBack(kind, { row, lease, delayMs: disposition.delayMs, logger });
  }
}

async function endingSettlement<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  row: Row,
  ending: Ending,
): Promise<Settlement> {
  if (ending.reason === "cancelled" || ending.reason === "rolled_back") await kind.beforeCancelled(row);
  return kind.endingOf(ending);
}

interface HandBack<Row> {
  readonly row: Row;
  readonly lease: HeldLease;
  readonly delayMs: number;
  readonly logger: Logger;
}

/** A release that cannot be written is left to the end of the lease. */
async function handBack<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  { row, lease, delayMs, logger }: HandBack<Row>,
): Promise<"handed_back" | undefined> {
  const fence = { id: row._id, epoch: lease.epoch, claimId: lease.claimId };
  const released = await whileHeld(lease, logger, () => kind.ledger.release(fence, { delayMs, charged: false }));
  return released !== undefined && delayMs === 0 ? "handed_back" : undefined;
}

interface Storing<Row> {
  readonly row: Row;
  readonly lease: HeldLease;
  readonly settlement: Settlement;
}

async function store<Row extends WorkRow, Outcome>(
  { kind, logger }: ExecutionDeps<Row, Outcome>,
  { row, lease, settlement }: Storing<Row>,
): Promise<void> {
  const fence = { id: row._id, epoch: lease.epoch, claimId: lease.claimId };
  const write = (what: Settlement) => whileHeld(lease, logger, () => kind.ledger.settle(fence, what));
  const settled = await write(settlement).catch((error: unknown) => {
    if (!isAntlerError(error, "document_too_large")) throw error;
    return write(kind.endingOf({ reason: "document_too_large", message: error.message }));
  });
  const stored = settled ?? (await ownSettlement(kind, fence));
  if (stored === undefined) logger.warn({ id: row._id, kind: kind.name }, "Outcome came too late and was dropped");
  else await payDuties(kind, stored, { patienceMs: CANCEL_GRACE_MS });
}

/** After a lost reply: a terminal row under our claim and epoch was settled by us. */
async function ownSettlement<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  { id, epoch, claimId }: Fence,
): Promise<Row | undefined> {
  const row = await kind.ledger.get(id);
  return row?.claim?.id === claimId && row.epoch === epoch && kind.isTerminal(row) ? row : undefined;
}

/** Repeats a write while the store does not answer and the lease still holds; undefined when it never got through. */
async function whileHeld<T>(lease: HeldLease, logger: Logger, write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await throughOutage(write, () => lease.remainingMs() > 0, logger);
  } catch (error) {
    if (!isAntlerError(error, "store_unavailable")) throw error;
    return undefined;
  }
}
