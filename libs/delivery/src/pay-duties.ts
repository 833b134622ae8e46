import type { Duty, WorkRow } from "@antler/store";

import type { WorkKind } from "./work-kind.ts";

export interface Patience {
  /** How long a duty may wait for other rows to end; what is not done then stays owed. */
  readonly patienceMs: number;
}

/** Carries out what a row owes, in order, and takes each duty off the list when it is done. */
export async function payDuties<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  row: Row,
  { patienceMs }: Patience = { patienceMs: 0 },
): Promise<void> {
  for (const duty of ORDER.filter((due) => row.owed.includes(due))) {
    if (!(await kind.payDuty(row, duty, patienceMs))) return;
    await kind.ledger.discharge(row._id, duty);
  }
}

/** The tasks of a run end before its log does. */
const ORDER: readonly Duty[] = ["cancel_tasks", "sweep", "end_event", "signal", "prune"];
