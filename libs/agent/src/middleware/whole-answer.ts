import { type AgentMiddleware, createMiddleware } from "langchain";

import { answerEnding } from "../messages/answer-ending.ts";
import { INCOMPLETE_ANSWER } from "../models/transient-model-error.ts";

/** Providers whose every whole answer says how it ended. */
const SAYING: readonly string[] = ["openai", "anthropic"];

/**
 * Refuses an answer whose stream ended without saying that it has ended: its tool calls may lack half their arguments.
 * The call is then repeated like one whose connection broke.
 */
export function createWholeAnswer(provider: string): AgentMiddleware {
  return createMiddleware({
    name: "WholeAnswer",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      if (!SAYING.includes(provider) || answerEnding(message) !== null) return message;
      throw Object.assign(new Error("The answer broke off before its end"), { code: INCOMPLETE_ANSWER });
    },
  });
}
