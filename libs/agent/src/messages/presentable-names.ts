import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { rebuildAiMessage } from "./rebuild-ai-message.ts";
import { rebuildToolMessage } from "./rebuild-tool-message.ts";

/** What providers take for the name of a tool. */
const PRESENTABLE = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The conversation with names of tools that every provider takes. A model may have called a tool by any name; the call
 * was refused, and a history that shows the name again would be refused as a whole.
 */
export function presentableNames(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => {
    if (AIMessage.isInstance(message)) return withCallNames(message);
    if (!ToolMessage.isInstance(message) || message.name === undefined || PRESENTABLE.test(message.name))
      return message;
    return rebuildToolMessage(message, { name: presentable(message.name) });
  });
}

function withCallNames(message: AIMessage): AIMessage {
  const calls = message.tool_calls ?? [];
  if (calls.every(({ name }) => PRESENTABLE.test(name))) return message;
  const renamed = calls.map((call) => ({ ...call, name: presentable(call.name) }));
  return rebuildAiMessage(message, { calls: renamed, rawCalls: [] });
}

function presentable(name: string): string {
  if (PRESENTABLE.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  return plain === "" ? "unnamed" : plain;
}
