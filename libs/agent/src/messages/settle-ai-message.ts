import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** Longest unreadable argument text that is shown to the model again, in characters. */
const UNREADABLE_MAX_CHARS = 500;

/**
 * The model's answer as it enters the thread: a plain AI message whose id and tool call ids are present and occur
 * nowhere else in the thread. Calls whose arguments are not JSON stay calls, so that the model is told.
 */
export function settleAiMessage(message: AIMessage, history: readonly BaseMessage[], newId: () => string): AIMessage {
  const takenMessages = new Set(history.map((entry) => entry.id));
  const takenCalls = new Set(history.flatMap(callIdsOf));
  const calls = [...(message.tool_calls ?? []), ...unreadableCalls(message)];
  const settled = calls.map((call) => withFreshId(call, takenCalls, newId));
  const id = message.id === undefined || message.id === "" || takenMessages.has(message.id) ? newId() : message.id;
  return new AIMessage({
    id,
    content: message.content,
    tool_calls: settled,
    additional_kwargs: withRawIds(message.additional_kwargs, settled),
    response_metadata: message.response_metadata,
    ...(message.name !== undefined && { name: message.name }),
    ...(message.usage_metadata !== undefined && { usage_metadata: message.usage_metadata }),
  });
}

function callIdsOf(message: BaseMessage): string[] {
  if (!AIMessage.isInstance(message)) return [];
  return (message.tool_calls ?? []).flatMap((call) => (call.id === undefined ? [] : [call.id]));
}

function withFreshId(call: ToolCall, taken: Set<string>, newId: () => string): ToolCall & { id: string } {
  const id = call.id === undefined || call.id === "" || taken.has(call.id) ? `call_${newId()}` : call.id;
  taken.add(id);
  return { ...call, id, type: "tool_call" };
}

function unreadableCalls(message: AIMessage): ToolCall[] {
  return (message.invalid_tool_calls ?? []).map((call) => ({
    name: call.name ?? "unknown",
    args: { unreadable_arguments: (call.args ?? "").slice(0, UNREADABLE_MAX_CHARS) },
    ...(call.id !== undefined && { id: call.id }),
  }));
}

/** The provider's raw calls follow the ids; where they do not match the parsed ones they are dropped. */
function withRawIds(kwargs: AIMessage["additional_kwargs"], calls: readonly { id: string }[]) {
  const { tool_calls: raw, ...rest } = kwargs;
  if (raw?.length !== calls.length || calls.length === 0) return rest;
  return { ...rest, tool_calls: raw.map((call, index) => ({ ...call, id: calls[index]?.id ?? call.id })) };
}
