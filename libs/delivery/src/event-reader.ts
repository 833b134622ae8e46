import type { Bus } from "@antler/bus";
import { isAntlerError, type RunEvent, subjects } from "@antler/contracts";
import { monotonicMs } from "@antler/platform";
import type { Store } from "@antler/store";

import { createEventInbox, type EventInbox } from "./event-inbox.ts";

export interface EventReaderDeps {
  readonly store: { readonly events: Pick<Store["events"], "read"> };
  readonly bus: Pick<Bus, "subscribe">;
}

export interface ReadRunEventsOptions {
  /** Events after this number; 0 begins at the first. */
  readonly afterSeq: number;
  /** Ends the reading, which is no error. */
  readonly signal: AbortSignal;
  /**
   * Asked while nothing new comes: appends `run:end` when the run's row is terminal.
   * `ended`: the log has, or now has, its end. `gone`: there is no such run.
   */
  readonly sealIfEnded: () => Promise<"live" | "ended" | "gone">;
}

const PAGE = 200;
/** A page is held for as long as whoever reads the events takes over them, a client that reads slowly for instance. */
const PAGE_BYTES = 1024 ** 2;
/** How long events that arrived out of order may wait for those before them. */
const HOLD_MS = 50;
/** After this time without an event the log is read again, in case a signal was lost. */
const REREAD_MS = 2000;
/** How long the store may be unreachable before reading gives up. */
const STORE_PATIENCE_MS = 30_000;
const STORE_RETRY_MS = 500;

/**
 * The events of a run in the order of their numbers, each once: from the log, then as they come. Ends after
 * `run.end`. Throws `store_unavailable` after 30 s without the store.
 */
export async function* readRunEvents(
  { store, bus }: EventReaderDeps,
  runId: string,
  options: ReadRunEventsOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const { afterSeq, signal, sealIfEnded } = options;
  const inbox = createEventInbox();
  const patiently = createPatience(inbox, signal);
  const subscription = bus.subscribe(subjects.events(runId), (payload) => {
    inbox.receive(payload);
  });
  try {
    yield* follow({
      inbox,
      signal,
      position: { next: afterSeq + 1 },
      readAfter: (seq) =>
        patiently(() => store.events.read(runId, { afterSeq: seq, limit: PAGE, maxBytes: PAGE_BYTES }), []),
      sealIfEnded: () => patiently(sealIfEnded, "live"),
    });
  } finally {
    subscription.close();
  }
}

type RunState = Awaited<ReturnType<ReadRunEventsOptions["sealIfEnded"]>>;

interface Following {
  readonly inbox: EventInbox;
  readonly signal: AbortSignal;
  readonly position: { next: number };
  readonly readAfter: (seq: number) => Promise<readonly RunEvent[]>;
  readonly sealIfEnded: () => Promise<RunState>;
}

/** Why the log must be read: it never was or was just sealed, nothing came for a while, or something is missing. */
type Cause = "unread" | "sealed" | "idle" | "gap";

/** The log and the signals by turns: signals while they come without a gap, the log whenever they may not be all. */
async function* follow(following: Following): AsyncGenerator<RunEvent, void, undefined> {
  const { inbox, signal, sealIfEnded } = following;
  let cause = "unread" as Cause;
  while (!signal.aborted) {
    const known = inbox.highest();
    const found: "end" | "some" | "none" = yield* fromLog(following);
    if (found === "end" || (found === "none" && cause === "sealed")) return;
    if (found === "none") inbox.forgetUnless(known);
    const state: RunState = found === "none" && cause === "idle" ? await sealIfEnded() : "live";
    if (state === "gone") return;
    const next: Cause | "end" = state === "ended" ? "sealed" : yield* fromSignals(following);
    if (next === "end") return;
    cause = next;
  }
}

async function* fromLog(following: Following): AsyncGenerator<RunEvent, "end" | "some" | "none", undefined> {
  const { position, readAfter, signal } = following;
  const start = position.next;
  for (;;) {
    const first = position.next;
    for (const event of await readAfter(first - 1)) {
      if (signal.aborted || event.seq !== position.next) break;
      position.next += 1;
      yield event;
      if (isEnd(event)) return "end";
    }
    if (position.next === first) return first === start ? "none" : "some";
  }
}

async function* fromSignals({
  inbox,
  position,
  signal,
}: Following): AsyncGenerator<RunEvent, Cause | "end", undefined> {
  for (;;) {
    const cause = await untilNext(inbox, position.next, signal);
    const event = inbox.take(position.next);
    if (signal.aborted || event === undefined) return cause ?? "gap";
    position.next += 1;
    yield event;
    if (isEnd(event)) return "end";
  }
}

/** Waits for the event with this number; when it does not come, says why the log must be read. */
async function untilNext(inbox: EventInbox, seq: number, signal: AbortSignal): Promise<Cause | undefined> {
  const start = monotonicMs();
  let heldSince: number | undefined;
  while (!inbox.has(seq) && !signal.aborted) {
    const ahead = inbox.ahead(seq);
    if (ahead === "announced") return "gap";
    const now = monotonicMs();
    if (ahead === "held") heldSince ??= now;
    const until = heldSince === undefined ? start + REREAD_MS : heldSince + HOLD_MS;
    if (now >= until) return heldSince === undefined ? "idle" : "gap";
    await inbox.wait(until - now, signal);
  }
  return undefined;
}

function isEnd({ type }: RunEvent): boolean {
  return type === "run.end";
}

type Patiently = <T>(work: () => Promise<T>, aborted: T) => Promise<T>;

/** Repeats work while the store cannot be reached, for a bounded time; gives `aborted` once the reading is over. */
function createPatience(inbox: EventInbox, signal: AbortSignal): Patiently {
  return async (work, aborted) => {
    const start = monotonicMs();
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!isAntlerError(error, "store_unavailable") || monotonicMs() - start > STORE_PATIENCE_MS) throw error;
      }
      await inbox.wait(STORE_RETRY_MS, signal);
    }
    return aborted;
  };
}
