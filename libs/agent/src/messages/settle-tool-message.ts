import type { ToolMessage } from "@langchain/core/messages";

import { wellFormed } from "./well-formed.ts";

/**
 * Gives a tool's result the id that it keeps. Without one the state gives it an id only once all tools of the step have
 * ended, and whoever was told of it before could not name it. Half of a surrogate pair in its text becomes U+FFFD.
 */
export function settleToolMessage(message: ToolMessage, newId: () => string): ToolMessage {
  if (message.id === undefined) {
    message.id = newId();
    message.lc_kwargs["id"] = message.id;
  }
  message.content = wellFormed(message.content);
  message.lc_kwargs["content"] = message.content;
  return message;
}
