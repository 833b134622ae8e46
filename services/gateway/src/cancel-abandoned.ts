import type { RunRow } from "@antler/store";

import type { GatewayDeps } from "./gateway-deps.ts";

/** Cancels the run of a client that left and wanted it so. A run that has ended meanwhile is fine. */
export async function cancelAbandoned(
  { runs, logger }: Pick<GatewayDeps, "runs" | "logger">,
  run: RunRow,
): Promise<void> {
  try {
    await runs.cancel(run, "interrupt");
  } catch (error) {
    logger.info({ err: error, run_id: run._id }, "Run of a disconnected client was not cancelled");
  }
}
