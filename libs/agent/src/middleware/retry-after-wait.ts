import { type AgentMiddleware, createMiddleware } from "langchain";

import { delay, monotonicMs } from "@antler/platform";

import { retryAfterMs } from "../models/retry-after.ts";

/** Lets the next call to a model wait as long as the provider asked for when it refused the one before. */
export function createRetryAfterWait(signal: AbortSignal): AgentMiddleware {
  let notBeforeMs = 0;
  return createMiddleware({
    name: "RetryAfterWait",
    wrapModelCall: async (request, handler) => {
      const waitMs = notBeforeMs - monotonicMs();
      if (waitMs > 0) await delay(waitMs, signal);
      try {
        return await handler(request);
      } catch (error) {
        notBeforeMs = monotonicMs() + retryAfterMs(error, Date.now());
        throw error;
      }
    },
  });
}
