import type { ToolMessage } from "@langchain/core/messages";

/**
 * Gives a tool's result the id that it keeps. Without one the state gives it an id only once all tools of the step have
 * ended, and whoever was told of it before could not name it.
 */
export function settleToolMessage(message: ToolMessage, newId: () => string): ToolMessage {
  if (message.id === undefined) {
    message.id = newId();
    message.lc_kwargs["id"] = message.id;
  }
  return message;
}
