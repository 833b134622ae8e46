import { type AgentMiddleware, modelRetryMiddleware } from "langchain";

import { isTransientModelError } from "../models/transient-model-error.ts";
import type { ExecutionLease } from "../ports.ts";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/** Repeats a model call on overload, rate limit and broken connections, never under a lease that is gone. */
export function createModelRetry(maxRetries: number, lease: ExecutionLease): AgentMiddleware {
  return modelRetryMiddleware({
    maxRetries,
    initialDelayMs: FIRST_DELAY_MS,
    maxDelayMs: LONGEST_DELAY_MS,
    onFailure: "error",
    retryOn: (error) => {
      lease.assertHeld();
      return !lease.signal.aborted && isTransientModelError(error);
    },
  });
}
