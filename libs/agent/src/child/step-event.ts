import { AIMessage, type ToolMessage } from "@langchain/core/messages";

import {
  EVENT_TEXT_MAX_CHARS,
  eventKeys,
  headOf,
  type NewRunEvent,
  type SubagentStep,
  type TaskEnvelope,
  type TokenUsage,
} from "@antler/contracts";

import { textOf } from "../messages/message-text.ts";
import type { ExecutionLease } from "../ports.ts";

export interface StepFacts {
  readonly envelope: TaskEnvelope;
  readonly lease: Pick<ExecutionLease, "round" | "attempt" | "epoch">;
  /** From 1. */
  readonly index: number;
  readonly usage: TokenUsage | null;
}

/** The stored event of one message of a subagent. */
export function stepEvent(message: AIMessage | ToolMessage, facts: StepFacts): NewRunEvent {
  const { envelope, index, usage } = facts;
  const { round, attempt, epoch } = facts.lease;
  const text = textOf(message);
  const data: SubagentStep = {
    task_id: envelope.task_id,
    tool_call_id: envelope.tool_call_id,
    round,
    attempt,
    epoch,
    message_index: index,
    total_messages: index,
    ...(message.id !== undefined && { message_id: message.id }),
    text: headOf(text, EVENT_TEXT_MAX_CHARS),
    truncated: text.length > EVENT_TEXT_MAX_CHARS,
    usage,
    model_name: envelope.model_name,
    ...(AIMessage.isInstance(message) ? aiPart(message) : toolPart(message)),
  };
  const key = eventKeys.taskStep(envelope.task_id, round, epoch, index);
  return { key, type: "subagent.step", task_id: envelope.task_id, data };
}

function aiPart(message: AIMessage): Pick<SubagentStep, "kind" | "tool_calls"> {
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    ...(id !== undefined && { id }),
    name,
    ...boundArgs(args),
  }));
  return { kind: "ai", ...(calls.length > 0 && { tool_calls: calls }) };
}

function boundArgs(args: unknown): { args: unknown; args_truncated?: boolean } {
  const text = JSON.stringify(args);
  if (text.length <= EVENT_TEXT_MAX_CHARS) return { args };
  return { args: headOf(text, EVENT_TEXT_MAX_CHARS), args_truncated: true };
}

function toolPart(message: ToolMessage): Pick<SubagentStep, "kind" | "tool_name" | "result_call_id"> {
  return {
    kind: "tool",
    ...(message.name !== undefined && { tool_name: message.name }),
    result_call_id: message.tool_call_id,
  };
}
