import { z } from "zod";

import { RunStatus, TaskStatus } from "./status.ts";
import { StopReason } from "./stop-reason.ts";
import { Lane } from "./subjects.ts";
import { TokenUsage } from "./usage.ts";

const Loose = z.record(z.string(), z.unknown());

/** The stream modes that this version serves. */
export const StreamMode = z.enum(["values", "updates", "messages", "messages-tuple", "custom"]);
export type StreamMode = z.infer<typeof StreamMode>;

/** The id of the assistant that every deployment has. */
export const LEAD_ASSISTANT_ID = "lead";

/** Limits that a run may tighten or widen for itself within the configured bounds. */
export const RunContext = z.looseObject({
  model_name: z.string().min(1).optional(),
  subagent_enabled: z.boolean().optional(),
  max_concurrent_subagents: z.int().optional(),
  max_total_subagents: z.int().optional(),
  tool_groups: z.array(z.string()).nullable().optional(),
  available_skills: z.array(z.string()).nullable().optional(),
  user_id: z.string().max(256).optional(),
  user_role: z.string().max(256).optional(),
  channel_user_id: z.string().max(256).optional(),
});
export type RunContext = z.infer<typeof RunContext>;

/** A question that a run waits for an answer to. */
export const Interrupt = z.object({ id: z.string(), value: z.unknown() }).meta({ id: "Interrupt" });
export type Interrupt = z.infer<typeof Interrupt>;

/** Answers pending interrupts of the thread: one value for the only one, or an object of values by interrupt id. */
const RunCommand = z.strictObject({
  resume: z.unknown().refine((resume) => resume != null, "must be the answer to what the run asked"),
});
export type RunCommand = z.infer<typeof RunCommand>;

/** Body of every route that creates a run. Options that are not listed are refused by name. */
export const CreateRunBody = z
  .strictObject({
    assistant_id: z.string().min(1),
    input: Loose.nullable().optional(),
    command: RunCommand.optional(),
    metadata: Loose.optional(),
    config: z.looseObject({ configurable: Loose.optional(), recursion_limit: z.int().min(1).optional() }).optional(),
    context: RunContext.optional(),
    stream_mode: z.union([StreamMode, z.array(StreamMode).min(1)]).optional(),
    stream_subgraphs: z.boolean().optional(),
    stream_resumable: z.boolean().optional(),
    on_disconnect: z.enum(["continue", "cancel"]).optional(),
    multitask_strategy: z.literal("reject").optional(),
    if_not_exists: z.enum(["create", "reject"]).optional(),
    durability: z.literal("sync").optional(),
    lane: Lane.optional(),
  })
  .refine(({ command, input }) => command === undefined || input == null, {
    path: ["input"],
    error: "must be left out when command.resume is given",
  })
  .meta({ id: "CreateRunBody" });
export type CreateRunBody = z.infer<typeof CreateRunBody>;

export const RunView = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    assistant_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    status: RunStatus,
    stop_reason: StopReason.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    /** What the run waits for an answer to. */
    interrupts: z.array(Interrupt),
    /** Most model calls of the lead: the lower of config.recursion_limit and runs.max_model_calls; null of old runs. */
    max_model_calls: z.int().nullable(),
    metadata: Loose,
    kwargs: Loose,
    multitask_strategy: z.string(),
    attempts: z.int(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    runner_id: z.string().nullable(),
    pid: z.int().nullable(),
    trace_id: z.string(),
    usage: TokenUsage.nullable(),
  })
  .meta({ id: "Run" });
export type RunView = z.infer<typeof RunView>;

export const TaskView = z
  .object({
    task_id: z.string(),
    run_id: z.string(),
    tool_call_id: z.string(),
    subagent_type: z.string(),
    description: z.string(),
    status: TaskStatus,
    stop_reason: StopReason.nullable(),
    error: z.string().nullable(),
    attempts: z.int(),
    round: z.int(),
    runner_id: z.string().nullable(),
    pid: z.int().nullable(),
    model_name: z.string().nullable(),
    created_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    steps: z.int(),
    usage: TokenUsage.nullable(),
  })
  .meta({ id: "Task" });
export type TaskView = z.infer<typeof TaskView>;

export const CancelQuery = z.object({
  action: z.enum(["interrupt", "rollback"]).default("interrupt"),
  wait: z.stringbool().default(false),
});

export const EventsQuery = z.object({
  task_id: z.string().optional(),
  event_types: z.string().optional(),
  after_seq: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(2000).default(500),
});
