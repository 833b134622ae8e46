import { isAntlerError } from "@antler/contracts";
import { delay, monotonicMs } from "@antler/platform";
import type { RunRow } from "@antler/store";

import type { GatewayDeps } from "./gateway-deps.ts";
import type { OpenResponses } from "./stream/open-responses.ts";

/** How long a store that does not answer is asked again: nobody is there who could repeat the request. */
const PATIENCE = { insistMs: 60_000, pauseMs: 1000 };

type AbandonedDeps = Pick<GatewayDeps, "runs" | "logger"> & { readonly open: Pick<OpenResponses, "closing"> };

/** Cancels the run of a client that left and wanted it so. A run that has ended meanwhile is fine. */
export async function cancelAbandoned(
  { runs, logger, open }: AbandonedDeps,
  run: RunRow,
  { insistMs, pauseMs }: typeof PATIENCE = PATIENCE,
): Promise<void> {
  for (const untilMs = monotonicMs() + insistMs; ;) {
    try {
      await runs.cancel(run, "interrupt");
      return;
    } catch (error) {
      const mayPass = isAntlerError(error, "store_unavailable") && monotonicMs() < untilMs && !open.closing.aborted;
      if (!mayPass) {
        logger.info({ err: error, run_id: run._id }, "Run of a disconnected client was not cancelled");
        return;
      }
      await delay(pauseMs, open.closing).catch(() => undefined);
    }
  }
}
