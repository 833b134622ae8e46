import type { WorkRow } from "@antler/store";

import { isCancelEnding } from "./disposition.ts";
import { payDuties } from "./pay-duties.ts";
import type { Ending, WorkKind } from "./work-kind.ts";

/** A condition of the ledger, repeated in the write. */
export type Condition = Readonly<Record<string, unknown>>;

/**
 * Ends a row by force if the condition still holds, and pays what it then owes. A cancelled row stays while something
 * lives that must end before it.
 */
export async function endRow<Row extends WorkRow, Outcome>(
  kind: WorkKind<Row, Outcome>,
  row: Row,
  { condition, ending }: { readonly condition: Condition; readonly ending: Ending },
): Promise<boolean> {
  if (isCancelEnding(ending) && !(await kind.mayEndCancelled(row))) return false;
  const ended = await kind.ledger.force(row._id, condition, kind.endingOf(ending));
  if (ended === undefined) return false;
  await payDuties(kind, ended);
  return true;
}
