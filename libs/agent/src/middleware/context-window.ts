import { type AgentMiddleware, countTokensApproximately, createMiddleware } from "langchain";

import type { ModelConfig } from "@antler/contracts";

import { fitWindow } from "../messages/fit-window.ts";

/**
 * Keeps requests within the model's window, less the tokens of its answer. Tokens are counted roughly, by length. The
 * stored conversation stays as it is. A model without a known window gets everything.
 */
export function createContextWindow({ context_window: window, max_tokens: reserve = 0 }: ModelConfig): AgentMiddleware {
  return createMiddleware({
    name: "ContextWindow",
    wrapModelCall: (request, handler) => {
      if (window === undefined) return handler(request);
      const room = window - reserve - countTokensApproximately([request.systemMessage]);
      return handler({ ...request, messages: fitWindow(request.messages, Math.max(1, room)) });
    },
  });
}
