import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

/**
 * A conversation in parts that belong together: an answer with the results of its calls, or any other message alone.
 * Whoever leaves something out of a request leaves out whole parts.
 */
export function callGroupsOf(messages: readonly BaseMessage[]): BaseMessage[][] {
  const groups: BaseMessage[][] = [];
  for (const message of messages) {
    const open = groups.at(-1);
    const isResult = ToolMessage.isInstance(message) && open !== undefined && hasCalls(open[0]);
    if (isResult) open.push(message);
    else groups.push([message]);
  }
  return groups;
}

function hasCalls(message: BaseMessage | undefined): boolean {
  return AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0;
}
