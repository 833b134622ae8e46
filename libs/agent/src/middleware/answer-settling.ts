import { type AgentMiddleware, createMiddleware } from "langchain";

import { settleAiMessage } from "../messages/settle-ai-message.ts";

/** Gives every answer the ids it keeps, before anything uses or stores it. */
export function createAnswerSettling(newId: () => string): AgentMiddleware {
  return createMiddleware({
    name: "AnswerSettling",
    wrapModelCall: async (request, handler) => settleAiMessage(await handler(request), request.state.messages, newId),
  });
}
