import { AntlerError } from "@antler/contracts";

/** The long responses of this process, streams and waits, and the end that the gateway asks of them when it closes. */
export interface OpenResponses {
  /** Whether the gateway is about to close: each answer then ends its connection. */
  readonly isLeaving: boolean;
  /** Aborts with `shutting_down` when the gateway closes; streams then end themselves, since clients can resume them. */
  readonly closing: AbortSignal;
  /** Aborts with `shutting_down` when what cannot be resumed must end too: waits and uploads. */
  readonly ending: AbortSignal;
  readonly count: number;
  enter(): () => void;
  /** Says that the gateway will close, and that waits and uploads may go on until `patience` aborts. */
  leave(patience: AbortSignal): void;
  close(): void;
}

export function createOpenResponses(): OpenResponses {
  const closing = new AbortController();
  const ending = new AbortController();
  let patience = AbortSignal.abort();
  let isLeaving = false;
  let count = 0;

  const end = () => ending.abort(new AntlerError("shutting_down", "The gateway is shutting down"));

  return {
    get isLeaving() {
      return isLeaving;
    },

    closing: closing.signal,
    ending: ending.signal,

    get count() {
      return count;
    },

    enter() {
      count += 1;
      let isOpen = true;
      return () => {
        if (isOpen) count -= 1;
        isOpen = false;
      };
    },

    leave(until) {
      isLeaving = true;
      patience = until;
    },

    close() {
      isLeaving = true;
      closing.abort(new AntlerError("shutting_down", "The gateway is shutting down"));
      if (patience.aborted) end();
      else patience.addEventListener("abort", end, { once: true });
    },
  };
}
