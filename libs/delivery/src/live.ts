import type { Bus, Subscription } from "@antler/bus";
import { LiveSignal, SIGNAL_MAX_BYTES, subjects } from "@antler/contracts";

/** Sends token deltas of a run to whoever streams it now. They may be lost; ones over 64 KiB are not sent. */
export function publishLive(bus: Pick<Bus, "signal">, runId: string, delta: LiveSignal): void {
  if (Buffer.byteLength(JSON.stringify(delta)) > SIGNAL_MAX_BYTES) return;
  bus.signal(subjects.live(runId), delta);
}

/** Hands over the deltas of a run that arrive from now on; what is not a delta is ignored. */
export function subscribeLive(
  bus: Pick<Bus, "subscribe">,
  runId: string,
  onDelta: (delta: LiveSignal) => void,
): Subscription {
  return bus.subscribe(subjects.live(runId), (payload) => {
    const delta = LiveSignal.safeParse(payload);
    if (delta.success) onDelta(delta.data);
  });
}
