import { delay } from "@antler/platform";

import type { FaultStack } from "../faults/stack/fault-stack.ts";
import { followStream } from "../faults/stack/follow-stream.ts";
import { gatewayClient, type RunIds } from "../harness/gateway-client.ts";

export interface LoadedRun extends RunIds {
  /** Ids of the events that a client saw, which reconnected whenever its gateway was killed. */
  readonly seen: Promise<readonly string[]>;
}

const RUN_EVERY_MS = 3000;

/** Starts 20 runs a minute, each followed by a client of its own, until the signal aborts. */
export async function startLoad(stack: FaultStack, signal: AbortSignal): Promise<readonly LoadedRun[]> {
  const runs: Promise<LoadedRun>[] = [];
  while (!signal.aborted) {
    runs.push(startRun(stack));
    await delay(RUN_EVERY_MS, signal).catch(() => undefined);
  }
  return Promise.all(runs);
}

const RETRY_MS = 500;

/** A request that was cut off is made again on a new thread: whether it was accepted, the ledger knows. */
async function startRun(stack: FaultStack): Promise<LoadedRun> {
  for (let place = 0; ; place += 1) {
    try {
      const ids = await clientOf(stack, place).startRun({ context: {} });
      const followed = followStream((attempt) => clientOf(stack, place + attempt), ids);
      return { ...ids, seen: followed.then(({ ids: seen }) => seen) };
    } catch {
      await delay(RETRY_MS);
    }
  }
}

/** A client of one of the gateways that live at the moment. */
export function clientOf({ fleet }: FaultStack, place: number) {
  const gateways = fleet.of("gateway");
  const port = gateways[place % Math.max(1, gateways.length)]?.port ?? 0;
  return gatewayClient(`http://127.0.0.1:${port}`);
}
