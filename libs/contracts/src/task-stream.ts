import { type RunEvent, SubagentEnd, SubagentStart, SubagentStep } from "./run-events.ts";
import type { TokenUsage } from "./usage.ts";

interface TaskFrameBase {
  /** The provider's tool call id. */
  readonly task_id: string;
}

/** What a client gets of a subagent on stream mode `custom`. Usage is a running total: replace, never add. */
export type TaskFrame =
  | (TaskFrameBase & {
      readonly type: "task_started";
      readonly description: string;
      readonly model_name: string | null;
    })
  | (TaskFrameBase & {
      readonly type: "task_running";
      readonly message: Readonly<Record<string, unknown>>;
      readonly message_index: number;
      readonly total_messages: number;
      readonly usage: TokenUsage | null;
      readonly model_name: string | null;
    })
  | (TaskFrameBase & {
      readonly type: "task_completed" | "task_failed" | "task_cancelled" | "task_timed_out";
      readonly result?: string;
      readonly error?: string;
      readonly usage: TokenUsage | null;
      readonly model_name: string | null;
    });

/** The frame of a stored subagent event; null for any other event, and for one whose contents cannot be read. */
export function taskFrameOf({ type, data }: Pick<RunEvent, "type" | "data">): TaskFrame | null {
  if (type === "subagent.start") return frame(SubagentStart.safeParse(data), startedFrame);
  if (type === "subagent.step") return frame(SubagentStep.safeParse(data), runningFrame);
  return type === "subagent.end" ? frame(SubagentEnd.safeParse(data), endedFrame) : null;
}

function frame<Data>(parsed: { readonly data?: Data }, frameOf: (data: Data) => TaskFrame | null): TaskFrame | null {
  return parsed.data === undefined ? null : frameOf(parsed.data);
}

function startedFrame(start: SubagentStart): TaskFrame {
  return {
    type: "task_started",
    task_id: start.tool_call_id,
    description: start.description,
    model_name: start.model_name,
  };
}

function runningFrame(step: SubagentStep): TaskFrame {
  return {
    type: "task_running",
    task_id: step.tool_call_id,
    message: messageOfStep(step),
    message_index: step.message_index,
    total_messages: step.total_messages,
    usage: step.usage,
    model_name: step.model_name,
  };
}

function messageOfStep(step: SubagentStep): Readonly<Record<string, unknown>> {
  return {
    type: step.kind,
    content: step.text,
    ...(step.message_id !== undefined && { id: step.message_id }),
    ...(step.tool_calls !== undefined && { tool_calls: step.tool_calls }),
    ...(step.tool_name !== undefined && { name: step.tool_name }),
    ...(step.result_call_id !== undefined && { tool_call_id: step.result_call_id }),
  };
}

const END_TYPES = {
  completed: "task_completed",
  failed: "task_failed",
  cancelled: "task_cancelled",
  timed_out: "task_timed_out",
} as const;

function endedFrame(end: SubagentEnd): TaskFrame | null {
  if (!(end.status in END_TYPES)) return null;
  return {
    type: END_TYPES[end.status as keyof typeof END_TYPES],
    task_id: end.tool_call_id,
    ...(end.result !== undefined && { result: end.result }),
    ...(end.error !== undefined && { error: end.error }),
    usage: end.usage,
    model_name: end.model_name,
  };
}
