import { AntlerError, isRunTerminal } from "@antler/contracts";
import { withDeadline } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { GatewayDeps } from "./gateway-deps.ts";

/** Tasks are settled by force after 10 s, so a cancelled run that lives longer is not ending any more. */
const CANCEL_WAIT_MS = 60_000;

/** @throws AntlerError `wait_timeout` when the run has not ended within a minute. */
export async function waitUntilCancelled(deps: Pick<GatewayDeps, "runs">, run: RunRow): Promise<void> {
  if (isRunTerminal(run.status)) return;
  try {
    await withDeadline((signal) => deps.runs.ended(run._id, signal), CANCEL_WAIT_MS);
  } catch (error) {
    throw new AntlerError("wait_timeout", `Run ${run._id} has not ended within ${CANCEL_WAIT_MS / 1000} s`, {
      cause: error,
    });
  }
}
