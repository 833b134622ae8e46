export { AntlerError, type AntlerErrorOptions, isAntlerError, messageOf } from "./antler-error.ts";
export { Config } from "./config.ts";
export {
  type Environment,
  ENVIRONMENT_VARIABLES,
  MODEL_VARIABLES,
  parseConfig,
  PROCESS_VARIABLES,
} from "./config-environment.ts";
export {
  LoopDetectionConfig,
  SummarizationConfig,
  type TokenBudgetConfig,
  TokenBudgetOverride,
} from "./config-guards.ts";
export { configJsonSchema } from "./config-json-schema.ts";
export { PoolConfig, PoolsConfig } from "./config-pools.ts";
export { type DeliveryConfig, type ModelConfig, type SandboxConfig } from "./config-shape.ts";
export { SkillName, SkillsConfig } from "./config-skills.ts";
export { SubagentsConfig } from "./config-subagents.ts";
export type { ToolOutputConfig } from "./config-tool-output.ts";
export type { McpConfig, McpServerConfig, ToolsConfig } from "./config-tools.ts";
export { configWarnings } from "./config-warnings.ts";
export type { WebFetchConfig } from "./config-web-fetch.ts";
export { ERROR_CODES, type ErrorCode, type ErrorDescription, type Retry } from "./error-codes.ts";
export { DeadLetterView } from "./http-dead-letters.ts";
export {
  CancelQuery,
  CreateRunBody,
  EventsQuery,
  Interrupt,
  LEAD_ASSISTANT_ID,
  type RunCommand,
  RunContext,
  RunView,
  StreamMode,
  TaskView,
} from "./http-runs.ts";
export {
  CheckpointRef,
  CreateThreadBody,
  PatchThreadBody,
  ThreadHistoryBody,
  ThreadStateView,
  ThreadView,
  WorkspaceReceipt,
} from "./http-threads.ts";
export { DEFAULT_TENANT, Name, RunId, TaskId, ThreadId, ToolCallId } from "./ids.ts";
export { modelCallLimit } from "./model-call-limit.ts";
export { Problem, problemOf, type StoredError, storedErrorOf } from "./problem.ts";
export {
  categoryOf,
  EVENT_TEXT_MAX_CHARS,
  EventCategory,
  eventKeys,
  type NewRunEvent,
  RunEvent,
  RunEventType,
  SubagentEnd,
  SubagentStart,
  SubagentStep,
  ToolRefused,
} from "./run-events.ts";
export { EventsSignal, LiveSignal, SIGNAL_MAX_BYTES } from "./signals.ts";
export {
  isRunTerminal,
  isTaskTerminal,
  RUN_TERMINAL_STATUSES,
  RUN_TRANSITIONS,
  RunStatus,
  type RunTerminalStatus,
  TASK_TERMINAL_STATUSES,
  TASK_TRANSITIONS,
  TaskStatus,
  type TaskTerminalStatus,
} from "./status.ts";
export { CAP_LABELS, type CapReason, isCapReason, StopReason } from "./stop-reason.ts";
export { AcceptanceVerdict, readSubagentMetadata, SubagentMetadata, SubagentStatus } from "./subagent-metadata.ts";
export {
  BRIEF_MAX_CHARS,
  failedOutcome,
  outcomeMetadata,
  outcomeText,
  type SubagentOutcome,
} from "./subagent-outcome.ts";
export { CHECKER_POOL, Lane, LANES, LEAD_POOL, subjects, ticketSubject } from "./subjects.ts";
export { Identity, SandboxRef, SubagentSnapshot, TaskEnvelope, ThreadData } from "./task-envelope.ts";
export { type TaskFrame, taskFrameOf } from "./task-stream.ts";
export { boundText, headOf, tailOf } from "./text-bounds.ts";
export {
  CheckTicket,
  encodeTicket,
  readTicket,
  RunTicket,
  TaskTicket,
  Ticket,
  TICKET_VERSION,
  ticketMessageId,
  type TicketReading,
} from "./tickets.ts";
export {
  durableName,
  durablesOf,
  type DurableSpec,
  type StreamName,
  streamOfPool,
  STREAMS,
  type StreamSpec,
} from "./topology.ts";
export { TraceContext, traceIdOf } from "./trace-context.ts";
export { addUsage, TokenUsage, usageKey, type UsageRecord } from "./usage.ts";
