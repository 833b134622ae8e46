import { AntlerError } from "@antler/contracts";

/** The long responses of this process, streams and waits, and the end that the gateway asks of them when it closes. */
export interface OpenResponses {
  /** Aborts with `shutting_down` when the gateway closes; streams, waits and uploads then end themselves. */
  readonly closing: AbortSignal;
  readonly count: number;
  enter(): () => void;
  close(): void;
}

export function createOpenResponses(): OpenResponses {
  const controller = new AbortController();
  let count = 0;

  return {
    closing: controller.signal,

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

    close: () => controller.abort(new AntlerError("shutting_down", "The gateway is shutting down")),
  };
}
