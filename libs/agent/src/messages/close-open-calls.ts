import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { rebuildToolMessage } from "./rebuild-tool-message.ts";

const CLOSED = "Error: This tool call was interrupted and has no result.";

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The provider's second id of the same call; a result that was filed under it is the call's too. */
  readonly alias?: string;
}

/** Where the adapter of OpenAI's Responses API keeps the item ids of calls, by call id. */
const ITEM_IDS = "__openai_function_call_ids__";

/** Tool calls without a result, in their order. */
export function openCallsOf(messages: readonly BaseMessage[]): OpenCall[] {
  const results = resultsOf(messages);
  return messages.flatMap(callsOf).filter((call) => resultOf(call, results) === undefined);
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
    return [message, ...callsOf(message).map((call) => resultOf(call, results) ?? closingMessage(call))];
  });
}

function resultsOf(messages: readonly BaseMessage[]): ReadonlyMap<string, ToolMessage> {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return new Map(results.map((result) => [result.tool_call_id, result]));
}

function callsOf(message: BaseMessage): OpenCall[] {
  if (!AIMessage.isInstance(message)) return [];
  const aliases = (message.additional_kwargs[ITEM_IDS] ?? {}) as Readonly<Record<string, string>>;
  return (message.tool_calls ?? []).map(({ id = "", name }) => {
    const alias = aliases[id];
    return { id, name, ...(alias !== undefined && { alias }) };
  });
}

/** The result of a call, under the id that the call has. */
function resultOf({ id, alias = id }: OpenCall, results: ReadonlyMap<string, ToolMessage>): ToolMessage | undefined {
  const result = results.get(id) ?? results.get(alias);
  if (result === undefined || result.tool_call_id === id) return result;
  return rebuildToolMessage(result, { tool_call_id: id });
}
