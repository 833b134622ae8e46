import { AntlerError, isAntlerError, isRunTerminal } from "@antler/contracts";
import { withDeadline } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { RunAccess } from "./gateway-deps.ts";

/** Tasks are settled by force after 10 s, so a cancelled run that lives longer is not ending any more. */
const CANCEL_WAIT_MS = 60_000;

export interface CancelWaitDeps {
  readonly runs: Pick<RunAccess, "ended">;
  /** Ends the wait with its reason. */
  readonly closing: AbortSignal;
}

/** @throws AntlerError `wait_timeout` when the run has not ended within a minute, or the reason of `closing`. */
export async function waitUntilCancelled({ runs, closing }: CancelWaitDeps, run: RunRow): Promise<void> {
  if (isRunTerminal(run.status)) return;
  try {
    await withDeadline((signal) => runs.ended(run._id, signal), CANCEL_WAIT_MS, closing);
  } catch (error) {
    if (!isAntlerError(error, "deadline_exceeded")) throw error;
    const message = `Run ${run._id} has not ended within ${CANCEL_WAIT_MS / 1000} s`;
    throw new AntlerError("wait_timeout", message, { cause: error });
  }
}
