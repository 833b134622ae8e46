import type { Bus } from "@antler/bus";
import { EventsSignal, type RunEvent, subjects } from "@antler/contracts";
import type { Store } from "@antler/store";

export interface TaskEventFollower {
  /** Hands over everything that is stored by now; never rejects: what cannot be read is told to `onError`. */
  readonly catchUp: () => Promise<void>;
  readonly close: () => void;
}

export interface FollowOptions {
  readonly runId: string;
  readonly taskId: string;
  readonly onEvent: (event: RunEvent) => void;
  readonly onError: (error: unknown) => void;
}

/** Most events of one reading; the store also ends a page that grows too large, so that only an empty one is the end. */
const PAGE = 200;

/** Hands over the stored events of one task in order, each once: when a signal tells of some, and when asked. */
export function followTaskEvents(
  { store, bus }: { readonly store: Store; readonly bus: Bus },
  { runId, taskId, onEvent, onError }: FollowOptions,
): TaskEventFollower {
  let afterSeq = 0;
  let tail: Promise<void> = Promise.resolve();
  let queued = false;

  const readNew = async () => {
    queued = false;
    for (;;) {
      const events = await store.events.read(runId, { taskId, afterSeq, limit: PAGE });
      if (events.length === 0) return;
      for (const event of events) {
        afterSeq = event.seq;
        onEvent(event);
      }
    }
  };
  const catchUp = () => {
    if (!queued) tail = tail.then(readNew).catch(onError);
    queued = true;
    return tail;
  };
  const subscription = bus.subscribe(subjects.events(runId), (payload) => {
    if (tellsOf(payload, taskId)) void catchUp();
  });
  return {
    catchUp,
    close: () => {
      subscription.close();
    },
  };
}

/** Whether a signal holds events of the task, or may: one that is too large holds only a number. */
function tellsOf(payload: unknown, taskId: string): boolean {
  const signal = EventsSignal.safeParse(payload);
  if (!signal.success) return false;
  return "seq" in signal.data || signal.data.events.some((event) => event.task_id === taskId);
}
