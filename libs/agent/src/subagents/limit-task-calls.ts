import type { AIMessage, BaseMessage } from "@langchain/core/messages";

import type { DroppedCalls } from "../delegations/render-delegations.ts";
import { rawCallsOf, rebuildAiMessage } from "../messages/rebuild-ai-message.ts";
import { withNote } from "../messages/stop-answer.ts";

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

/** In `additional_kwargs` of an answer that was trimmed: it stays with the thread, whoever goes on with it. */
const DROPPED_MARK = "antler_dropped_calls";

interface DroppedMark extends DroppedCalls {
  readonly isExhausted: boolean;
}

function droppedMarkOf(message: BaseMessage): DroppedMark | null {
  const mark: unknown = message.additional_kwargs[DROPPED_MARK];
  return typeof mark === "object" && mark !== null ? (mark as DroppedMark) : null;
}

/** The calls that an answer lost to the limits; null when it lost none. */
export function droppedCallsOf(message: BaseMessage): DroppedCalls | null {
  return droppedMarkOf(message);
}

/** Whether an answer was told that its run may start no more tasks. */
export function isLimitExhausted(message: BaseMessage): boolean {
  return droppedMarkOf(message)?.isExhausted ?? false;
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
  const reason = remaining < Math.min(maxConcurrent, tasks.length) ? "per_run" : "per_response";
  const isExhausted = remaining === 0;
  const content = isExhausted ? withNote(message.content, LIMIT_NOTE) : message.content;
  return {
    message: rebuilt(message, {
      content,
      kept,
      keptAt: calls.map((call) => !dropped.has(call)),
      marks: { [DROPPED_MARK]: { count: dropped.size, reason, isExhausted } satisfies DroppedMark },
    }),
    dropped: dropped.size,
    reason,
    isExhausted,
  };
}

interface Parts {
  readonly content: AIMessage["content"];
  readonly kept: NonNullable<AIMessage["tool_calls"]>;
  readonly keptAt: readonly boolean[];
  readonly marks: Readonly<Record<string, unknown>>;
}

function rebuilt(message: AIMessage, { content, kept, keptAt, marks }: Parts): AIMessage {
  const { finish_reason: finish } = message.response_metadata as Record<string, unknown>;
  const hasEnded = finish === "tool_calls" && kept.length === 0;
  return rebuildAiMessage(message, {
    content,
    calls: kept,
    marks,
    rawCalls: (rawCallsOf(message) ?? []).filter((_, index) => keptAt[index]),
    ...(hasEnded && { responseMetadata: { ...message.response_metadata, finish_reason: "stop" } }),
  });
}
