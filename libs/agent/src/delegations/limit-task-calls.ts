import type { AIMessage } from "@langchain/core/messages";

import { rawCallsOf, rebuildAiMessage } from "../messages/rebuild-ai-message.ts";
import { withNote } from "../messages/stop-answer.ts";
import { type DroppedCalls, droppedMark } from "./dropped-calls.ts";
import { TASK_TOOL_NAME } from "./task-calls.ts";

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
  readonly dropped: DroppedCalls;
}

/**
 * The answer with as many task calls as the limits allow, the first ones in order; all other calls stay. Null when
 * nothing is to be dropped. Once the run may start no more, the answer says so.
 */
export function limitTaskCalls(message: AIMessage, { maxConcurrent, remaining }: TaskCallLimits): TrimmedCalls | null {
  const calls = message.tool_calls ?? [];
  const tasks = calls.filter(({ name }) => name === TASK_TOOL_NAME);
  const surplus = new Set(tasks.slice(Math.min(maxConcurrent, remaining)));
  if (surplus.size === 0) return null;
  const reason = remaining < Math.min(maxConcurrent, tasks.length) ? "per_run" : "per_response";
  const dropped = { count: surplus.size, reason, isExhausted: remaining === 0 } as const;
  return {
    message: without(
      message,
      calls.map((call) => !surplus.has(call)),
      dropped,
    ),
    dropped,
  };
}

/** The answer with only the calls that are kept, at their places. */
function without(message: AIMessage, isKept: readonly boolean[], dropped: DroppedCalls): AIMessage {
  const calls = (message.tool_calls ?? []).filter((_, index) => isKept[index]);
  const { finish_reason: finish } = message.response_metadata as Record<string, unknown>;
  const hasEnded = finish === "tool_calls" && calls.length === 0;
  return rebuildAiMessage(message, {
    content: dropped.isExhausted ? withNote(message.content, LIMIT_NOTE) : message.content,
    calls,
    marks: droppedMark(dropped),
    rawCalls: (rawCallsOf(message) ?? []).filter((_, index) => isKept[index]),
    ...(hasEnded && { responseMetadata: { ...message.response_metadata, finish_reason: "stop" } }),
  });
}
