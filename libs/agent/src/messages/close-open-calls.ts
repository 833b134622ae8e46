import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

const CLOSED = "Error: This tool call was interrupted and has no result.";

/**
 * The messages with a result for every tool call, right after the message that made it: providers refuse a call
 * without one, and a result without its call.
 */
export function closeOpenCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const results = new Map(
    messages.filter((message) => ToolMessage.isInstance(message)).map((result) => [result.tool_call_id, result]),
  );
  return messages.flatMap((message) => {
    if (ToolMessage.isInstance(message)) return [];
    if (!AIMessage.isInstance(message)) return [message];
    const calls = message.tool_calls ?? [];
    return [message, ...calls.map(({ id = "", name }) => results.get(id) ?? closing(id, name))];
  });
}

function closing(callId: string, name: string): ToolMessage {
  return new ToolMessage({ tool_call_id: callId, name, content: CLOSED, status: "error" });
}
