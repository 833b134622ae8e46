/** The long responses of this process: streams and waits. Their end is asked for when the gateway closes. */
export interface OpenResponses {
  /** Aborts when the gateway closes; every long response then ends itself. */
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

    close: () => controller.abort(),
  };
}
