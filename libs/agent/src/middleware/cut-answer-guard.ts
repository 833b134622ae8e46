import type { AIMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import type { GuardReason, GuardStop } from "../guards/guard-reason.ts";
import { answerEnding } from "../messages/answer-ending.ts";
import { stopAnswer } from "../messages/stop-answer.ts";

/** How providers say that an answer was not ended by the model itself. */
const CUTS: Readonly<Record<string, GuardStop>> = {
  content_filter: "safety_capped",
  refusal: "safety_capped",
  safety: "safety_capped",
  prohibited_content: "safety_capped",
  blocklist: "safety_capped",
  length: "model_length_capped",
  max_tokens: "model_length_capped",
  incomplete: "model_length_capped",
};

const NOTES: Partial<Record<GuardStop, string>> = {
  safety_capped: "[SAFETY STOP] The provider ended this answer; its tool calls were not run.",
  model_length_capped: "[OUTPUT LIMIT] This answer was cut off; its tool calls were not run.",
};

/** Runs nothing of an answer that the provider cut: its calls may be half of what the model meant. */
export function createCutAnswerGuard(reason: GuardReason): AgentMiddleware {
  return createMiddleware({
    name: "CutAnswerGuard",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      const cut = cutOf(message);
      if (cut === undefined) return message;
      reason.note(cut);
      const hasCalls = (message.tool_calls ?? []).length > 0 || (message.invalid_tool_calls ?? []).length > 0;
      return hasCalls ? stopAnswer(message, NOTES[cut] ?? "") : message;
    },
  });
}

function cutOf(message: AIMessage): GuardStop | undefined {
  const ending = answerEnding(message);
  return ending === null ? undefined : CUTS[ending];
}
