import { type AgentMiddleware, createMiddleware } from "langchain";

import { antlerErrorIn } from "../execution-fault.ts";
import { failedAnswer } from "../messages/failure-mark.ts";

/**
 * Ends a subagent whose model failed for good with an answer that is marked as such, so that its steps tell it too.
 * Whoever settles the task goes by the mark.
 */
export function createMarkedFailure(): AgentMiddleware {
  return createMiddleware({
    name: "MarkedFailure",
    wrapModelCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        const failure = antlerErrorIn(error, "model_failed", "model_unavailable");
        if (failure === undefined) throw error;
        return failedAnswer(failure.message);
      }
    },
  });
}
