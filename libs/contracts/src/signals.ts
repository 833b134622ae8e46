import { z } from "zod";

import { RunEvent } from "./run-events.ts";

/** Signals travel on core NATS and may be lost; whoever waits for one also re-reads the ledger. */

/** On `events.<run>`: the appended events, or only the last number when they exceed 64 KiB. */
export const EventsSignal = z.union([z.object({ events: z.array(RunEvent) }), z.object({ seq: z.int().min(1) })]);
export type EventsSignal = z.infer<typeof EventsSignal>;

/** On `live.<run>`: token deltas, coalesced; not in the log. */
export const LiveSignal = z.object({
  namespace: z.array(z.string()),
  message: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});
export type LiveSignal = z.infer<typeof LiveSignal>;

/** Largest payload of events on a signal, in bytes. */
export const SIGNAL_MAX_BYTES = 64 * 1024;
