import { EventsSignal, type RunEvent } from "@antler/contracts";

/** Events of one run that came by signal and were not handed over yet; bounded, since the log has them all. */
export interface EventInbox {
  receive(payload: unknown): void;
  has(seq: number): boolean;
  /** Takes the event with this number out and forgets those before it. */
  take(seq: number): RunEvent | undefined;
  /** What is known of numbers from `seq` on: nothing, events out of order, or only that there are some. */
  ahead(seq: number): "none" | "held" | "announced";
  /** The greatest number heard of. */
  highest(): number;
  /** Forgets everything, once the log was read in vain, unless something came after `known` was the highest. */
  forgetUnless(known: number): void;
  /** Resolves at the next signal, after `ms`, or when `signal` aborts; never rejects. One wait at a time. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Most events held, of at most 64 KiB each; what comes beyond is read from the log. */
const HELD_MAX = 64;

export function createEventInbox(): EventInbox {
  const held = new Map<number, RunEvent>();
  let highest = 0;
  let wake = (): void => undefined;

  const hold = (event: RunEvent): void => {
    highest = Math.max(highest, event.seq);
    if (held.size < HELD_MAX) held.set(event.seq, event);
  };
  const forgetBefore = (seq: number): void => {
    for (const known of held.keys()) if (known < seq) held.delete(known);
  };

  return {
    receive(payload) {
      const signal = EventsSignal.safeParse(payload);
      if (!signal.success) return;
      if ("events" in signal.data) signal.data.events.forEach(hold);
      else highest = Math.max(highest, signal.data.seq);
      wake();
    },
    has: (seq) => held.has(seq),
    take(seq) {
      const event = held.get(seq);
      forgetBefore(seq + 1);
      return event;
    },
    ahead(seq) {
      if (highest < seq) return "none";
      return held.has(highest) ? "held" : "announced";
    },
    highest: () => highest,
    forgetUnless(known) {
      if (highest !== known) return;
      held.clear();
      highest = 0;
    },
    wait(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        wake = () => undefined;
        resolve(undefined);
      };
      const timer = setTimeout(done, ms);
      wake = done;
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
      return promise;
    },
  };
}
