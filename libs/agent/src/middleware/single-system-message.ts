import { SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { textOf } from "../messages/message-text.ts";

/**
 * Joins all system messages of a request into the one that stands first: providers refuse a second one or one that
 * comes later. A request without any keeps none.
 */
export function createSingleSystemMessage(): AgentMiddleware {
  return createMiddleware({
    name: "SingleSystemMessage",
    wrapModelCall: (request, handler) => {
      const extra = request.messages.filter((message) => SystemMessage.isInstance(message));
      const parts = [request.systemMessage, ...extra].map((message) => textOf(message).trim());
      const text = parts.filter((part) => part !== "").join("\n\n");
      const messages = request.messages.filter((message) => !SystemMessage.isInstance(message));
      return handler({ ...request, messages, systemMessage: new SystemMessage(text) });
    },
  });
}
