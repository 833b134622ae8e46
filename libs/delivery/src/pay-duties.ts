import type { WorkRow } from "@antler/store";

import type { WorkKind } from "./work-kind.ts";

/** Carries out what a row owes, in order, and takes each duty off the list when it is done. */
export async function payDuties<Row extends WorkRow, Outcome>(kind: WorkKind<Row, Outcome>, row: Row): Promise<void> {
  for (const duty of inOrder(row)) {
    await kind.payDuty(row, duty);
    await kind.ledger.discharge(row._id, duty);
  }
}

const ORDER = ["cancel_tasks", "sweep", "end_event", "signal"] as const;

function inOrder(row: WorkRow) {
  return ORDER.filter((duty) => row.owed.includes(duty));
}
