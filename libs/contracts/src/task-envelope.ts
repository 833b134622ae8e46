import { z } from "zod";

import { Name, RunId, TaskId, ThreadId, ToolCallId } from "./ids.ts";
import { TraceContext } from "./trace-context.ts";

/** Who asks. Copied whole from the run to each of its tasks. */
export const Identity = z.object({
  tenant_id: z.string().min(1),
  user_id: z.string().nullable(),
  user_role: z.string().nullable(),
  is_internal: z.boolean(),
  channel_user_id: z.string().nullable(),
  oauth_provider: z.string().nullable(),
  oauth_id: z.string().nullable(),
  authz_attributes: z.record(z.string(), z.unknown()),
});
export type Identity = z.infer<typeof Identity>;

/** The sandbox and its virtual paths; the same for the lead and all its subagents. */
export const SandboxRef = z.object({ sandbox_id: z.string().min(1) });
export const ThreadData = z.object({
  workspace_path: z.string(),
  uploads_path: z.string(),
  outputs_path: z.string(),
});
export type SandboxRef = z.infer<typeof SandboxRef>;
export type ThreadData = z.infer<typeof ThreadData>;

/** The subagent's configuration as it was when the task was dispatched. */
export const SubagentSnapshot = z.object({
  name: z.string().min(1),
  system_prompt: z.string(),
  max_turns: z.int().min(1),
  timeout_seconds: z.int().min(1),
  pool: Name,
  /** Null or absent holds no budget. */
  token_budget: z.object({ max_tokens: z.int().min(1), warn_tokens: z.int().min(0) }).nullish(),
});
export type SubagentSnapshot = z.infer<typeof SubagentSnapshot>;

/**
 * All that a task inherits from its lead, and nothing else. Severed on purpose: the `task` tool, the checkpointer,
 * messages, promoted tools, delegations.
 */
export const TaskEnvelope = z.object({
  version: z.literal(1),
  task_id: TaskId,
  run_id: RunId,
  thread_id: ThreadId,
  tool_call_id: ToolCallId,
  identity: Identity,
  trace: TraceContext,
  subagent: SubagentSnapshot,
  model_name: z.string().min(1),
  tool_groups: z.array(z.string()).nullable(),
  /** Names of the tools the subagent has, after every filter. */
  tools: z.array(z.string()),
  skills: z.array(z.string()).nullable(),
  sandbox: SandboxRef,
  thread_data: ThreadData,
  description: z.string(),
  prompt: z.string(),
});
export type TaskEnvelope = z.infer<typeof TaskEnvelope>;
