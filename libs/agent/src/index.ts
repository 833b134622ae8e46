export { executeTask } from "./child/execute-task.ts";
export type { AgentChunk, AgentInput, AgentStreamMode, AgentStreamOptions, CompiledAgent } from "./compiled-agent.ts";
export { type AgentSpec, createAgent } from "./create-agent.ts";
export type { ExecutionDeps } from "./execution-deps.ts";
export { executeRun } from "./lead/execute-run.ts";
export type { RunDeps } from "./lead/run-deps.ts";
export { createMcpPool, type McpPool } from "./mcp/mcp-pool.ts";
export { createModels, type Models } from "./models/models.ts";
export type {
  ChildOutcome,
  Delegate,
  DelegationRequest,
  EndedCalls,
  EventSink,
  ExecutionLease,
  LeadOutcome,
  PublishLive,
  RunToExecute,
  TaskDraft,
  TaskToExecute,
  UsageSink,
} from "./ports.ts";
export { createSkillStorage, type SkillStorage } from "./skills/skill-storage.ts";
export { resolveSubagent, type SubagentCapabilities, subagentNames } from "./subagents/resolve-subagent.ts";
export { ThreadState } from "./thread-state.ts";
