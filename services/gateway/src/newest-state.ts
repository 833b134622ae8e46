import type { StoredState } from "@antler/store";

import type { GatewayDeps } from "./gateway-deps.ts";

/** The state of the thread at its newest checkpoint; undefined before the first. */
export async function newestState(
  { runs, readState }: Pick<GatewayDeps, "runs" | "readState">,
  threadId: string,
): Promise<StoredState | undefined> {
  const head = await runs.newestHead(threadId);
  return head === null ? undefined : readState(threadId, head);
}
