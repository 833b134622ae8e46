import type { AntlerError } from "@antler/contracts";
import type { WorkRow } from "@antler/store";

import type { HeldLease } from "./lease.ts";

/** The leases that a worker holds now. */
export interface LeaseBook {
  /** Adds a lease; returns its removal. */
  readonly track: (row: WorkRow, lease: HeldLease) => () => void;
  /** Renews the leases of a run and its tasks now, so that a cancel mark is read at once. */
  readonly checkRun: (runId: string) => void;
  /** Whether new work is refused. */
  readonly isClosed: boolean;
  /** Refuses new work: a lease that is added from now on is stopped at once. Work that has begun goes on. */
  readonly close: (reason: AntlerError) => void;
  /** Stops all work, also such as is only being claimed. */
  readonly abortAll: (reason: AntlerError) => void;
}

export function createLeaseBook(): LeaseBook {
  const held = new Map<string, { readonly runId: string; readonly lease: HeldLease }>();
  let stopped: AntlerError | undefined;
  return {
    track(row, lease) {
      held.set(lease.claimId, { runId: row.run_id, lease });
      if (stopped !== undefined) lease.abort(stopped);
      return () => held.delete(lease.claimId);
    },
    get isClosed() {
      return stopped !== undefined;
    },
    close(reason) {
      stopped ??= reason;
    },
    checkRun(runId) {
      for (const entry of held.values()) if (entry.runId === runId) entry.lease.check();
    },
    abortAll(reason) {
      stopped = reason;
      for (const { lease } of held.values()) lease.abort(reason);
    },
  };
}
