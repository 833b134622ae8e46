import type { AIMessage, ContentBlock } from "@langchain/core/messages";

import { rawCallsOf, rebuildAiMessage } from "../messages/rebuild-ai-message.ts";

export const TASK_TOOL_NAME = "task";

const LIMIT_NOTE =
  "[SUBAGENT LIMIT REACHED] This run may start no more subagents. " +
  "Finish with the results that are there, and say what remains undone.";

export interface TaskCallLimits {
  readonly maxConcurrent: number;
  /** Tasks that the run may still start. */
  readonly remaining: number;
}

export interface TrimmedCalls {
  readonly message: AIMessage;
  readonly dropped: number;
  readonly reason: "per_response" | "per_run";
  /** Whether the run may start no further task at all. */
  readonly isExhausted: boolean;
}

/** Ids of the task calls of an answer, in order. */
export function taskCallIds(message: AIMessage): string[] {
  return (message.tool_calls ?? []).flatMap(({ name, id }) =>
    name === TASK_TOOL_NAME && id !== undefined ? [id] : [],
  );
}

/**
 * The answer with as many task calls as the limits allow, the first ones in order; all other calls stay. Null when
 * nothing is to be dropped. Once the run may start no more, the answer says so.
 */
export function limitTaskCalls(message: AIMessage, { maxConcurrent, remaining }: TaskCallLimits): TrimmedCalls | null {
  const calls = message.tool_calls ?? [];
  const tasks = calls.filter(({ name }) => name === TASK_TOOL_NAME);
  const allowed = Math.min(maxConcurrent, remaining);
  if (tasks.length <= allowed) return null;
  const dropped = new Set(tasks.slice(allowed));
  const kept = calls.filter((call) => !dropped.has(call));
  const content = remaining === 0 ? withNote(message.content) : message.content;
  return {
    message: rebuilt(message, { content, kept, keptAt: calls.map((call) => !dropped.has(call)) }),
    dropped: dropped.size,
    reason: remaining < Math.min(maxConcurrent, tasks.length) ? "per_run" : "per_response",
    isExhausted: remaining === 0,
  };
}

interface Parts {
  readonly content: AIMessage["content"];
  readonly kept: NonNullable<AIMessage["tool_calls"]>;
  readonly keptAt: readonly boolean[];
}

function rebuilt(message: AIMessage, { content, kept, keptAt }: Parts): AIMessage {
  const { finish_reason: finish } = message.response_metadata as Record<string, unknown>;
  const hasEnded = finish === "tool_calls" && kept.length === 0;
  return rebuildAiMessage(message, {
    content,
    calls: kept,
    rawCalls: (rawCallsOf(message) ?? []).filter((_, index) => keptAt[index]),
    ...(hasEnded && { responseMetadata: { ...message.response_metadata, finish_reason: "stop" } }),
  });
}

function withNote(content: AIMessage["content"] | null): AIMessage["content"] {
  if (Array.isArray(content)) return [...content, { type: "text", text: LIMIT_NOTE } satisfies ContentBlock.Text];
  return content === null || content === "" ? LIMIT_NOTE : `${content}\n\n${LIMIT_NOTE}`;
}
