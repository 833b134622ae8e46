import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { failedOutcome, readSubagentMetadata } from "@antler/contracts";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { turnOf } from "../messages/human-input.ts";
import { settleToolMessage } from "../messages/settle-tool-message.ts";
import { outcomeMessage } from "../tools/outcome-message.ts";

/** Equal delegations that a run may start. */
const MOST_EQUAL = 2;

/**
 * Answers an equal delegation, the same type with the same prompt up to white space, that comes after two answers of its
 * run which made it already, with what came of those. Nothing is started: a lead that asks the same again would only pay again.
 */
export function createRepeatedTask(newId: () => string): AgentMiddleware {
  return createMiddleware({
    name: "RepeatedTask",
    wrapToolCall: (request, handler) => {
      const { toolCall: call } = request;
      if (call.name !== TASK_TOOL_NAME) return handler(request);
      const messages = turnOf(request.state.messages);
      const equal = earlierEqual(messages, call);
      return equal.length < MOST_EQUAL ? handler(request) : settleToolMessage(repeated(call, equal, messages), newId);
    },
  });
}

/** The equal calls of earlier answers, in their order. One answer may ask the same several times at once. */
function earlierEqual(messages: readonly BaseMessage[], call: ToolCall): ToolCall[] {
  const answer = messages.findIndex((message) => callsOf(message).some(({ id }) => id === call.id));
  const before = messages.slice(0, Math.max(0, answer)).flatMap(callsOf);
  return before.filter((other) => other.name === TASK_TOOL_NAME && keyOf(other) === keyOf(call));
}

function callsOf(message: BaseMessage): readonly ToolCall[] {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
}

function keyOf({ args }: ToolCall): string {
  const { subagent_type: type, prompt } = args as Readonly<Record<string, unknown>>;
  return JSON.stringify([type, String(prompt).replace(/\s+/g, " ").trim()]);
}

function repeated(call: ToolCall, equal: readonly ToolCall[], messages: readonly BaseMessage[]): ToolMessage {
  const error =
    `Repeated task: this run has delegated the same prompt to the same type ${equal.length} times already ` +
    `(${equal.map(({ id }) => resultLine(id ?? "", messages)).join("; ")}). ` +
    "Nothing was started. Use what is there, or change the task.";
  return outcomeMessage(call.id ?? "", failedOutcome(error));
}

function resultLine(id: string, messages: readonly BaseMessage[]): string {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const facts = readSubagentMetadata(results.find((result) => result.tool_call_id === id)?.additional_kwargs);
  if (facts === null) return `${id}: in progress`;
  const brief = facts.subagent_result_brief ?? facts.subagent_error ?? "";
  return `${id}: ${facts.subagent_status}${brief === "" ? "" : `, ${brief}`}`;
}
