import type { Store, WorkRow } from "@antler/store";

import type { DeadLetterSink } from "./bury-delivery.ts";
import { endRow } from "./end-row.ts";
import type { WorkKind } from "./work-kind.ts";

/** Keeps dead letters in the store, and ends the row of one that waits for the message which was buried. */
export function createDeadLetterSink<Row extends WorkRow, Outcome>(
  store: Pick<Store, "runs" | "tasks" | "deadLetters">,
  kind: WorkKind<Row, Outcome>,
): DeadLetterSink {
  return {
    async tenantOf(rowId) {
      const row = (await store.runs.get(rowId)) ?? (await store.tasks.get(rowId));
      return row?.tenant_id ?? null;
    },
    record: (letter) => store.deadLetters.record(letter),
    async settleRow(rowId, reason) {
      const row = await kind.ledger.get(rowId);
      if (row === undefined || kind.isTerminal(row)) return;
      const ending = { reason: "dead_lettered", message: reason } as const;
      await endRow(kind, row, { condition: { epoch: row.epoch, status: "pending" }, ending });
    },
  };
}
