import { AntlerError, LEAD_POOL } from "@antler/contracts";
import type { RunRow } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";

type RoomDeps = Pick<DeliveryDeps, "store" | "config">;

/** A lane of a pool, and how many rows are on their way into it that the ledger may not know yet. */
export interface LaneUse {
  readonly pool: string;
  readonly lane: RunRow["lane"];
  readonly coming?: number;
}

/** @throws queue_full when as many rows wait in the lane as the configuration allows. */
export async function assertRoom({ store, config }: RoomDeps, { pool, lane, coming = 0 }: LaneUse): Promise<void> {
  const ledger = pool === LEAD_POOL ? store.runs : store.tasks;
  const max = config.delivery.max_queued;
  if ((await ledger.countPending(pool, lane, max)) + coming < max) return;
  const message = `Lane ${lane} of pool ${pool} has ${max} waiting, as many as delivery.max_queued allows`;
  throw new AntlerError("queue_full", message, { details: { limit: "delivery.max_queued", retry_after: 2 } });
}
