import type { LiveSignal, StreamMode } from "@antler/contracts";

import type { EventAccess } from "../gateway-deps.ts";

type Handle = (signal: LiveSignal) => void;

/** Token deltas of a run from the moment of opening; what comes before `attach` is held. */
export interface LiveDeltas {
  attach(handle: Handle): void;
  close(): void;
}

/**
 * Opened before the run can begin: clients add deltas up, so that they are worth something only from a message's
 * first one on. Undefined when none of the modes shows messages.
 */
export function openLiveDeltas(
  events: Pick<EventAccess, "followLive">,
  runId: string,
  modes: readonly StreamMode[],
): LiveDeltas | undefined {
  if (!modes.includes("messages") && !modes.includes("messages-tuple")) return undefined;
  const held: LiveSignal[] = [];
  let handle: Handle = (signal) => held.push(signal);
  const subscription = events.followLive(runId, (signal) => handle(signal));
  return {
    attach(next) {
      held.splice(0).forEach(next);
      handle = next;
    },
    close: () => subscription.close(),
  };
}
