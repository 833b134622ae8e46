import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

import { headOf } from "@antler/contracts";

import { rawCallsOf, rebuildAiMessage } from "./rebuild-ai-message.ts";

/** Longest unreadable argument text that is shown to the model again, in characters. */
const UNREADABLE_MAX_CHARS = 500;

/**
 * The model's answer as it enters the thread: a plain AI message whose id and tool call ids are present and occur
 * nowhere else in the thread. Calls whose arguments are not JSON stay calls, so that the model is told.
 */
export function settleAiMessage(message: AIMessage, history: readonly BaseMessage[], newId: () => string): AIMessage {
  const takenMessages = new Set(history.map((entry) => entry.id));
  const takenCalls = new Set(history.flatMap(callIdsOf));
  const parsed = [...(message.tool_calls ?? []), ...unreadableCalls(message)];
  const calls = parsed.map((call) => withFreshId(call, takenCalls, newId));
  const isTaken = message.id === undefined || message.id === "" || takenMessages.has(message.id);
  return rebuildAiMessage(message, { calls, rawCalls: rawCalls(message, calls), ...(isTaken && { id: newId() }) });
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
    args: { unreadable_arguments: headOf(call.args ?? "", UNREADABLE_MAX_CHARS) },
    ...(call.id !== undefined && { id: call.id }),
  }));
}

/** The raw calls with the settled ids; none where they do not match the parsed ones one by one. */
function rawCalls(message: AIMessage, calls: readonly { id: string }[]) {
  const raw = rawCallsOf(message) ?? [];
  if (raw.length !== calls.length || (message.invalid_tool_calls ?? []).length > 0) return [];
  return raw.map((call, index) => ({ ...call, id: calls[index]?.id }));
}
