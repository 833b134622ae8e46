import type { AIMessage, ContentBlock } from "@langchain/core/messages";

import { rebuildAiMessage } from "./rebuild-ai-message.ts";

/** The answer without its tool calls, with a visible note of why they were taken away. */
export function stopAnswer(message: AIMessage, note: string): AIMessage {
  return rebuildAiMessage(message, {
    content: withNote(message.content, note),
    calls: [],
    rawCalls: [],
    responseMetadata: { ...message.response_metadata, ...endedBy(message) },
  });
}

/** The content with a note for the reader at its end. */
export function withNote(content: AIMessage["content"] | null, note: string): AIMessage["content"] {
  if (Array.isArray(content)) return [...content, { type: "text", text: note } satisfies ContentBlock.Text];
  return content === null || content === "" ? note : `${content}\n\n${note}`;
}

/** An answer without calls has not ended because of calls. */
function endedBy({ response_metadata: metadata }: AIMessage): Record<string, string> {
  const { finish_reason: finish, stop_reason: stop } = metadata as Record<string, unknown>;
  return {
    ...(finish === "tool_calls" && { finish_reason: "stop" }),
    ...(stop === "tool_use" && { stop_reason: "end_turn" }),
  };
}
