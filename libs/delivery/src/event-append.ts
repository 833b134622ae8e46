import type { Bus } from "@antler/bus";
import { type NewRunEvent, type RunEvent, SIGNAL_MAX_BYTES, subjects } from "@antler/contracts";
import type { Store } from "@antler/store";

import type { LogAddress } from "./delivery-deps.ts";

export interface AppendDeps {
  readonly store: { readonly events: Pick<Store["events"], "append"> };
  readonly bus: Pick<Bus, "signal">;
}

/** Most events of one write. */
export const APPEND_BATCH = 100;

/** Appends in order, at most 100 events a write, and signals each write. Returns the events as they are stored. */
export async function appendAndSignal(
  { store, bus }: AppendDeps,
  { runId, threadId }: LogAddress,
  events: readonly NewRunEvent[],
): Promise<RunEvent[]> {
  const stored: RunEvent[] = [];
  for (let from = 0; from < events.length; from += APPEND_BATCH) {
    const written = await store.events.append(runId, threadId, events.slice(from, from + APPEND_BATCH));
    signalEvents(bus, runId, written);
    stored.push(...written);
  }
  return stored;
}

/** The events themselves, or only their last number when they exceed 64 KiB. */
function signalEvents(bus: Pick<Bus, "signal">, runId: string, events: readonly RunEvent[]): void {
  if (events.length === 0) return;
  const fits = Buffer.byteLength(JSON.stringify({ events })) <= SIGNAL_MAX_BYTES;
  const payload = fits ? { events } : { seq: Math.max(...events.map((event) => event.seq)) };
  bus.signal(subjects.events(runId), payload);
}
