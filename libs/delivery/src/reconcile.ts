import type { Bus } from "@antler/bus";
import type { DurableSpec } from "@antler/contracts";
import type { Logger } from "@antler/platform";
import {
  attemptsSpent,
  cancelledWaiting,
  cancelOverdue,
  deadlinePassed,
  executionExpired,
  leaseExpired,
  owing,
  queueExpired,
  ticketed,
  unticketed,
  type WorkRow,
} from "@antler/store";

import { dispatch } from "./dispatch.ts";
import { cancelEnding } from "./disposition.ts";
import { type Condition, endRow } from "./end-row.ts";
import { payDuties } from "./pay-duties.ts";
import { lostWorkerText, queueTimeoutText } from "./refusal.ts";
import { CANCEL_GRACE_MS } from "./run-kind.ts";
import type { Ending, WorkKind } from "./work-kind.ts";

export interface ReconcileOptions<Row extends WorkRow, Outcome> {
  readonly kind: WorkKind<Row, Outcome>;
  readonly bus: Bus;
  readonly logger: Logger;
  readonly durables: readonly DurableSpec[];
  readonly signal: AbortSignal;
}

/** Age at which a row counts as stranded: whoever wrote it had time to go on. */
const STRANDED_MS = 5000;
const ROWS_A_CONDITION = 200;

const executionText = (row: WorkRow) =>
  `Execution timed out after ${Math.round(row.execution_limit_ms / 1000)} seconds`;

/** Rows that have to end, by condition; the condition is repeated in the write. */
const ENDINGS: readonly (readonly [Condition, (row: WorkRow) => Ending])[] = [
  [cancelledWaiting, (row) => cancelEnding(row.cancel?.action)],
  [cancelOverdue(CANCEL_GRACE_MS), (row) => cancelEnding(row.cancel?.action)],
  [executionExpired, (row) => ({ reason: "execution_timeout", message: executionText(row) })],
  [queueExpired, (row) => ({ reason: "queue_timeout", message: queueTimeoutText(row.queue_limit_ms) })],
  [deadlinePassed, () => ({ reason: "deadline", message: "The time limit is over" })],
  [attemptsSpent, (row) => ({ reason: "lost_worker", message: lostWorkerText(row.attempt) })],
];

/** One pass over one kind of rows: ends what must end, publishes what lost its ticket, pays what is owed. */
export async function reconcileOnce<Row extends WorkRow, Outcome>(
  options: ReconcileOptions<Row, Outcome>,
): Promise<void> {
  const { kind, durables, signal } = options;
  for (const [condition, endingOf] of ENDINGS) {
    signal.throwIfAborted();
    await forEach(options, condition, (row) => endRow(kind, row, { condition, ending: endingOf(row) }));
  }
  for (const condition of [leaseExpired, unticketed(STRANDED_MS)]) await republish(options, condition);
  for (const durable of durables) await republishGone(options, durable);
  await forEach(options, owing(STRANDED_MS), (row) => payDuties(kind, row));
}

async function forEach<Row extends WorkRow, Outcome>(
  { kind, signal }: ReconcileOptions<Row, Outcome>,
  condition: Condition,
  act: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (const row of await kind.ledger.find(condition, ROWS_A_CONDITION)) {
    signal.throwIfAborted();
    await act(row);
  }
}

/**
 * Publishes anew what provably lost its ticket. Rows come oldest first, and a lane's tickets are handed out in that
 * order: when the oldest still wait, so do the others.
 */
async function republishGone<Row extends WorkRow, Outcome>(
  options: ReconcileOptions<Row, Outcome>,
  durable: DurableSpec,
): Promise<void> {
  await forEach(options, ticketed(durable.pool, durable.lane, STRANDED_MS), async (row) => {
    if (row.ticket === null) return;
    const state = await options.bus.inspectTicket(durable, row.ticket);
    if (state === "settled" || state === "gone")
      await publishAnew(options, row, { status: "pending", dispatch: row.dispatch });
  });
}

async function republish<Row extends WorkRow, Outcome>(
  options: ReconcileOptions<Row, Outcome>,
  condition: Condition,
): Promise<void> {
  await forEach(options, condition, (row) => publishAnew(options, row, condition));
}

async function publishAnew<Row extends WorkRow, Outcome>(
  { kind, bus, logger }: ReconcileOptions<Row, Outcome>,
  row: Row,
  condition: Condition,
): Promise<void> {
  const waiting = await kind.ledger.redispatch(row._id, condition);
  if (waiting === undefined) return;
  logger.info({ id: row._id, kind: kind.name, dispatch: waiting.dispatch }, "Ticket is published again");
  await dispatch(kind, waiting, { bus, logger });
}
