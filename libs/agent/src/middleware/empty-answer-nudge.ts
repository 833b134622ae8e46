import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { AntlerError } from "@antler/contracts";

import { textOf } from "../messages/message-text.ts";

const NUDGE =
  "[EMPTY ANSWER] Your answer was empty. Give the user your final answer now, or say plainly why there is none.";

/**
 * Asks once more when a lead ends without a word: a run without an answer is no success.
 * @throws AntlerError `model_failed` when the second answer is empty too.
 */
export function createEmptyAnswerNudge(): AgentMiddleware {
  return createMiddleware({
    name: "EmptyAnswerNudge",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      if (!isEmpty(message)) return message;
      const nudge = new HumanMessage({ name: "empty_answer", content: NUDGE });
      const second = await handler({ ...request, messages: [...request.messages, nudge] });
      if (!isEmpty(second)) return second;
      throw new AntlerError("model_failed", "The model gave an empty answer twice");
    },
  });
}

function isEmpty(message: AIMessage): boolean {
  return (message.tool_calls ?? []).length === 0 && textOf(message).trim() === "";
}
