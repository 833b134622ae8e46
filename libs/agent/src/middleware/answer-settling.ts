import { ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { idsOf, settleAiMessage } from "../messages/settle-ai-message.ts";
import { settleToolMessage } from "../messages/settle-tool-message.ts";
import { DelegationsState } from "../thread-state.ts";

/**
 * Gives every answer and every tool's result the ids they keep, before anything uses or stores them. Ids stay taken
 * when a summary has replaced their messages: those of this execution, those in `spent`, and those of delegations.
 */
export function createAnswerSettling(newId: () => string, spent: Iterable<string>): AgentMiddleware {
  const seen = new Set(spent);
  return createMiddleware({
    name: "AnswerSettling",
    stateSchema: DelegationsState,
    wrapModelCall: async (request, handler) => {
      const { messages, delegations } = request.state;
      const taken = [...seen, ...idsOf(messages), ...delegations.map(({ id }) => id)];
      const settled = settleAiMessage(await handler(request), taken, newId);
      for (const id of idsOf([settled])) seen.add(id);
      return settled;
    },
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      for (const message of resultsIn(result)) settleToolMessage(message, newId);
      return result;
    },
  });
}

/** The messages that a tool gave, alone or in a command that changes more of the state. */
function resultsIn(result: ToolMessage | Command): ToolMessage[] {
  if (ToolMessage.isInstance(result)) return [result];
  const { messages } = (result.update ?? {}) as { readonly messages?: unknown };
  return (Array.isArray(messages) ? (messages as unknown[]) : []).filter((message) => ToolMessage.isInstance(message));
}
