import { z } from "zod";

import { TaskStatus } from "./status.ts";
import { StopReason } from "./stop-reason.ts";
import { TokenUsage } from "./usage.ts";

/** The kinds of event of a run's log. Everything a client may replay is one of these. */
export const RunEventType = z.enum([
  "run.start",
  "run.end",
  "llm.human.input",
  "llm.ai.response",
  "llm.tool.result",
  "stream.values",
  "stream.updates",
  "stream.custom",
  "stream.checkpoints",
  "stream.tasks",
  "stream.debug",
  "subagent.start",
  "subagent.step",
  "subagent.end",
  "tool.refused",
]);
export type RunEventType = z.infer<typeof RunEventType>;

export const EventCategory = z.enum(["run", "message", "stream", "subagent", "audit"]);
export type EventCategory = z.infer<typeof EventCategory>;

/** One stored event. `seq` counts from 1 in each run without a gap; `key` makes an append repeatable. */
export const RunEvent = z.object({
  run_id: z.string(),
  seq: z.int().min(1),
  key: z.string(),
  thread_id: z.string(),
  task_id: z.string().optional(),
  type: RunEventType,
  category: EventCategory,
  data: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});
export type RunEvent = z.infer<typeof RunEvent>;

/** An event before it has its number. */
export type NewRunEvent = Pick<RunEvent, "key" | "type" | "data"> & { readonly task_id?: string };

export function categoryOf(type: RunEventType): EventCategory {
  if (type.startsWith("subagent.")) return "subagent";
  if (type.startsWith("llm.")) return "message";
  if (type.startsWith("tool.")) return "audit";
  return type.startsWith("stream.") ? "stream" : "run";
}

/** Longest text of a step, a result or an error in the log, in characters. */
export const EVENT_TEXT_MAX_CHARS = 8192;

/** Keys of a run's log: an event that is appended again under its key is stored once. */
export const eventKeys = {
  runEnd: "run:end",
  runStart: "run:start",
  /** An event of the lead graph, numbered within one claim of the run. */
  lead: (epoch: number, n: number) => `lead:${epoch}:${n}`,
  taskStart: (taskId: string, round: number, epoch: number) => `${taskId}:${round}.${epoch}:start`,
  taskStep: (taskId: string, round: number, epoch: number, n: number) => `${taskId}:${round}.${epoch}:step:${n}`,
  taskEnd: (taskId: string) => `${taskId}:end`,
  /** `ownerId` is the run or the task whose agent made the call. */
  toolRefused: (ownerId: string, callId: string) => `${ownerId}:refused:${callId}`,
} as const;

const execution = {
  task_id: z.string(),
  /** The provider's call id, by which clients know the task. */
  tool_call_id: z.string(),
  round: z.int().min(0),
  attempt: z.int().min(0),
  /** The claim; told apart from the attempt, which a drain gives back. */
  epoch: z.int().min(0),
};

export const SubagentStart = z.object({
  ...execution,
  description: z.string(),
  subagent_type: z.string(),
  model_name: z.string().nullable(),
  runner_id: z.string(),
  pid: z.int(),
});
export type SubagentStart = z.infer<typeof SubagentStart>;

const StepToolCall = z.object({
  id: z.string().optional(),
  name: z.string(),
  args: z.unknown(),
  args_truncated: z.boolean().optional(),
});

/** One AI or tool message of a subagent, in its order: `message_index` counts from 1 within an attempt. */
export const SubagentStep = z.object({
  ...execution,
  message_index: z.int().min(1),
  total_messages: z.int().min(1),
  kind: z.enum(["ai", "tool"]),
  message_id: z.string().optional(),
  text: z.string(),
  truncated: z.boolean(),
  tool_calls: z.array(StepToolCall).optional(),
  tool_name: z.string().optional(),
  result_call_id: z.string().optional(),
  /** Cumulative over the attempt; null while no model call has reported usage. */
  usage: TokenUsage.nullable(),
  model_name: z.string().nullable(),
});
export type SubagentStep = z.infer<typeof SubagentStep>;

export const SubagentEnd = z.object({
  ...execution,
  status: TaskStatus,
  stop_reason: StopReason.nullable(),
  model_name: z.string().nullable(),
  usage: TokenUsage.nullable(),
  result: z.string().optional(),
  result_truncated: z.boolean().optional(),
  error: z.string().optional(),
  error_truncated: z.boolean().optional(),
});
export type SubagentEnd = z.infer<typeof SubagentEnd>;

/** A call that was not carried out, because its tool is not among those that the agent was given or not yet shown. */
export const ToolRefused = z.object({
  tool_name: z.string(),
  tool_call_id: z.string(),
  reason: z.enum(["not_permitted", "not_promoted"]),
  /** `lead` or `subagent:<type>`. */
  caller: z.string(),
});
export type ToolRefused = z.infer<typeof ToolRefused>;
