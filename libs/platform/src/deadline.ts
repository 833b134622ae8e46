import { AntlerError } from "@antler/contracts";

/**
 * Runs `work` with a signal that aborts after `ms` milliseconds, or when `signal` does.
 * It does not wait for work that ignores its signal.
 * @throws AntlerError `deadline_exceeded`, the reason of `signal`, or what `work` throws.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (reason: Error) => {
    limit.abort(reason);
    reject(reason);
  };
  const timer = setTimeout(() => {
    abort(new AntlerError("deadline_exceeded", `The work did not end within ${ms} ms`));
  }, ms);
  const forward = () => {
    abort(signal?.reason as Error);
  };
  signal?.addEventListener("abort", forward, { once: true });
  try {
    return await Promise.race([work(limit.signal), aborted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}
