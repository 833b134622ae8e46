import type { Bus } from "@antler/bus";
import { type DurableSpec, isAntlerError, messageOf } from "@antler/contracts";
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
import { cancelEnding, DEADLINE_ENDING } from "./disposition.ts";
import { type Condition, endRow } from "./end-row.ts";
import { payDuties } from "./pay-duties.ts";
import { lostWorkerText, queueTimeoutText } from "./refusal.ts";
import { CANCEL_GRACE_MS } from "./sweep-tasks.ts";
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

/** A cancelled lead first ends its tasks and their calls; only a much later one is ended by force. */
const CANCEL_GRACES_MS = { task: CANCEL_GRACE_MS, run: 3 * CANCEL_GRACE_MS };

type EndingRule = readonly [condition: Condition, endingOf: (row: WorkRow) => Ending];

/** Rows that have to end, by condition; the condition is repeated in the write. */
const ENDINGS: readonly EndingRule[] = [
  [cancelledWaiting, (row) => cancelEnding(row.cancel?.action)],
  [executionExpired, (row) => ({ reason: "execution_timeout", message: executionText(row) })],
  [queueExpired, (row) => ({ reason: "queue_timeout", message: queueTimeoutText(row.queue_limit_ms) })],
  [deadlinePassed, () => DEADLINE_ENDING],
  [attemptsSpent, (row) => ({ reason: "lost_worker", message: lostWorkerText(row.attempt) })],
];

/** Ends by force what must have ended. */
export async function endOverdue<Row extends WorkRow, Outcome>(options: ReconcileOptions<Row, Outcome>): Promise<void> {
  const { kind } = options;
  const cancelled: EndingRule = [cancelOverdue(CANCEL_GRACES_MS[kind.name]), (row) => cancelEnding(row.cancel?.action)];
  for (const [condition, endingOf] of [cancelled, ...ENDINGS])
    await forEach(options, condition, (row) => endRow(kind, row, { condition, ending: endingOf(row) }));
}

/** Carries out what rows have owed for a while. */
export function payOwed<Row extends WorkRow, Outcome>(options: ReconcileOptions<Row, Outcome>): Promise<void> {
  return forEach(options, owing(STRANDED_MS), (row) => payDuties(options.kind, row));
}

/** Publishes the tickets of rows that wait without one. */
export async function republishStranded<Row extends WorkRow, Outcome>(
  options: ReconcileOptions<Row, Outcome>,
): Promise<void> {
  for (const condition of [leaseExpired, unticketed(STRANDED_MS)]) await republish(options, condition);
  for (const durable of options.durables) await republishGone(options, durable);
}

/** A row that makes trouble does not keep the others waiting; a store that does not answer ends the pass. */
async function forEach<Row extends WorkRow, Outcome>(
  { kind, signal, logger }: ReconcileOptions<Row, Outcome>,
  condition: Condition,
  act: (row: Row) => Promise<unknown>,
): Promise<void> {
  signal.throwIfAborted();
  for (const row of await kind.ledger.find(condition, ROWS_A_CONDITION)) {
    signal.throwIfAborted();
    try {
      await act(row);
    } catch (error) {
      if (isAntlerError(error, "store_unavailable", "bus_unavailable")) throw error;
      logger.error({ id: row._id, kind: kind.name, err: messageOf(error) }, "Row could not be repaired");
    }
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
