import type { Collection } from "mongodb";

import { AntlerError } from "@antler/contracts";

import type { RunRow } from "./rows.ts";
import { storeCall } from "./store-call.ts";

/** Names one claim of one run. */
export interface RunFenceKey {
  readonly runId: string;
  readonly epoch: number;
  readonly claimId: string;
}

/** What ties checkpoints to the claim of a run. */
export interface RunFence {
  /** The run's newest checkpoint, else the one from which it starts. */
  head(): Promise<string | undefined>;
  /** Throws `lease_lost` when the claim no longer holds. */
  moveHead(checkpointId: string): Promise<void>;
  /** Throws `lease_lost` when the claim no longer holds. */
  assertHeld(): Promise<void>;
}

export function createRunFence(runs: Collection<RunRow>, { runId, epoch, claimId }: RunFenceKey): RunFence {
  const held = { _id: runId, epoch, "claim.id": claimId, status: "running" as const };
  return {
    async head() {
      const projection = { head: 1, base: 1 };
      const run = await storeCall(() => runs.findOne({ _id: runId }, { projection }));
      return run?.head ?? run?.base ?? undefined;
    },
    async moveHead(checkpointId) {
      const { matchedCount } = await storeCall(() => runs.updateOne(held, { $set: { head: checkpointId } }));
      if (matchedCount === 0) throw lost(runId);
    },
    async assertHeld() {
      const run = await storeCall(() => runs.findOne(held, { projection: { _id: 1 } }));
      if (run === null) throw lost(runId);
    },
  };
}

function lost(runId: string): AntlerError {
  return new AntlerError("lease_lost", `Run ${runId} is held by another worker: stop and leave it to that one`);
}
