import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

const CLOSED = "Error: This tool call was interrupted and has no result.";

export interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/** Tool calls without a result, in their order. */
export function openCallsOf(messages: readonly BaseMessage[]): OpenCall[] {
  const results = resultsOf(messages);
  return messages.flatMap(callsOf).filter(({ id }) => !results.has(id));
}

/** The result of a call that will never have one of its own. */
export function closingMessage({ id, name }: OpenCall): ToolMessage {
  return new ToolMessage({ tool_call_id: id, name, content: CLOSED, status: "error" });
}

/**
 * The messages with a result for every tool call, right after the message that made it: providers refuse a call
 * without one, and a result without its call.
 */
export function closeOpenCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const results = resultsOf(messages);
  return messages.flatMap((message) => {
    if (ToolMessage.isInstance(message)) return [];
    return [message, ...callsOf(message).map((call) => results.get(call.id) ?? closingMessage(call))];
  });
}

function resultsOf(messages: readonly BaseMessage[]): ReadonlyMap<string, ToolMessage> {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return new Map(results.map((result) => [result.tool_call_id, result]));
}

function callsOf(message: BaseMessage): OpenCall[] {
  if (!AIMessage.isInstance(message)) return [];
  return (message.tool_calls ?? []).map(({ id = "", name }) => ({ id, name }));
}
