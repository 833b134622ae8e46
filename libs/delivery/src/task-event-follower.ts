import type { Bus } from "@antler/bus";
import { type RunEvent, subjects } from "@antler/contracts";
import type { Store } from "@antler/store";

export interface TaskEventFollower {
  /** Hands over everything that is stored by now; resolves when it is handed over. */
  readonly catchUp: () => Promise<void>;
  readonly close: () => void;
}

export interface FollowOptions {
  readonly runId: string;
  readonly taskId: string;
  readonly onEvent: (event: RunEvent) => void;
  readonly onError: (error: unknown) => void;
}

const PAGE = 500;

/** Hands over the stored events of one task in order, each once: on every signal of the run, and when asked. */
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
      for (const event of events) {
        afterSeq = event.seq;
        onEvent(event);
      }
      if (events.length === 0) return;
    }
  };
  const catchUp = () => {
    if (!queued) tail = tail.catch(() => undefined).then(readNew);
    queued = true;
    return tail;
  };
  const subscription = bus.subscribe(subjects.events(runId), () => {
    catchUp().catch(onError);
  });
  return { catchUp, close: () => subscription.close() };
}
