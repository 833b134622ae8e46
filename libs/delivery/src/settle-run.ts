import type { RunLedger, RunRow, Settlement } from "@antler/store";

import { cancelEnding } from "./disposition.ts";
import type { WorkKind } from "./work-kind.ts";

type Settling = Pick<WorkKind<RunRow, never>, "endingOf" | "beforeCancelled">;

/**
 * The run ledger, whose `settle` ends a run that was marked as cancelled meanwhile as cancelled, whatever its lead
 * brought: who was told that a run is being cancelled never sees it end in another way.
 */
export function settlingAsMarked(ledger: RunLedger, { endingOf, beforeCancelled }: Settling): RunLedger {
  const settle: RunLedger["settle"] = async (fence, settlement: Settlement) => {
    const settled = await ledger.settle(fence, settlement);
    if (settled !== undefined || settlement.unlessCancelled !== true) return settled;
    const run = await ledger.get(fence.id);
    if (run?.cancel == null || run.status !== "running") return undefined;
    await beforeCancelled(run);
    return ledger.settle(fence, endingOf(cancelEnding(run.cancel.action)));
  };
  return { ...ledger, settle };
}
