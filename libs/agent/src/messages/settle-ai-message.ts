import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

import { headOf } from "@antler/contracts";

import { isDeeperThan } from "./nesting.ts";
import { rawCallsOf, rebuildAiMessage } from "./rebuild-ai-message.ts";
import { wellFormed } from "./well-formed.ts";

/** Longest unreadable argument text that is shown to the model again, in characters. */
const UNREADABLE_MAX_CHARS = 500;

/** What providers take as an id, and what may stand in a key. */
const ID = /^[ -~]{1,256}$/;

/**
 * The model's answer as it enters the thread: a plain, well-formed AI message whose id and tool call ids are short
 * printable ASCII and none of the `taken` ones. Calls whose arguments are not JSON stay calls, so that the model is told.
 */
export function settleAiMessage(message: AIMessage, taken: Iterable<string>, newId: () => string): AIMessage {
  const known = new Set(taken);
  const isFresh = message.id !== undefined && ID.test(message.id) && !known.has(message.id);
  const parsed = [...(message.tool_calls ?? []).map(withPlainArgs), ...unreadableCalls(message)];
  const calls = parsed.map((call) => withFreshId(wellFormed(call), known, newId));
  return rebuildAiMessage(message, {
    content: wellFormed(readableContent(message.content)),
    calls,
    rawCalls: wellFormed(rawCalls(message, calls)),
    ...(!isFresh && { id: newId() }),
  });
}

/** The ids of messages and tool calls of a conversation. */
export function idsOf(messages: readonly BaseMessage[]): string[] {
  const calls = messages.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []));
  return [...messages, ...calls].flatMap(({ id }) => (id === undefined ? [] : [id]));
}

function withFreshId(call: ToolCall, known: Set<string>, newId: () => string): ToolCall & { id: string } {
  const id = call.id === undefined || !ID.test(call.id) || known.has(call.id) ? `call_${newId()}` : call.id;
  known.add(id);
  return { ...call, id, type: "tool_call" };
}

/** Deepest nesting of arguments: whatever writes them as JSON goes down level by level. */
const ARGS_MAX_DEPTH = 100;

/** Arguments are an object that everything can write; any other JSON is as unreadable as a text that is none. */
function withPlainArgs(call: ToolCall): ToolCall {
  const args: unknown = call.args;
  const isPlain = typeof args === "object" && args !== null && !Array.isArray(args);
  if (isPlain && !isDeeperThan(args, ARGS_MAX_DEPTH)) return call;
  const shown = isDeeperThan(args, ARGS_MAX_DEPTH) ? "(nested too deeply)" : JSON.stringify(args);
  return { ...call, args: { unreadable_arguments: headOf(shown, UNREADABLE_MAX_CHARS) } };
}

/** Blocks without a type are nothing that anyone could read. */
function readableContent(content: unknown): AIMessage["content"] {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.filter(
    (block: unknown) =>
      typeof block === "object" && block !== null && "type" in block && typeof block.type === "string",
  ) as AIMessage["content"];
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
