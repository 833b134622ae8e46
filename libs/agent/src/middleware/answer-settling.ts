import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { settleAiMessage } from "../messages/settle-ai-message.ts";
import { settleToolMessage } from "../messages/settle-tool-message.ts";

/** Gives every answer and every tool's result the ids they keep, before anything uses or stores them. */
export function createAnswerSettling(newId: () => string): AgentMiddleware {
  return createMiddleware({
    name: "AnswerSettling",
    wrapModelCall: async (request, handler) => settleAiMessage(await handler(request), request.state.messages, newId),
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      return ToolMessage.isInstance(result) ? settleToolMessage(result, newId) : result;
    },
  });
}
