import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { AgentMiddleware } from "langchain";

import { newId } from "@antler/platform";

import { type CompiledAgent, createAgent } from "../create-agent.ts";
import type { McpTools } from "../mcp/mcp-pool.ts";
import { createSubagentLimit } from "../middleware/subagent-limit.ts";
import { createTurnLimit, type TurnLimit } from "../middleware/turn-limit.ts";
import { createUsageRecorder } from "../middleware/usage-recorder.ts";
import { modelCallMiddleware } from "../model-call-middleware.ts";
import type { Models } from "../models/models.ts";
import type { Delegate, EventSink, ExecutionLease, UsageSink } from "../ports.ts";
import { delegationLimits } from "../subagents/delegation-limits.ts";
import type { TrimmedCalls } from "../subagents/limit-task-calls.ts";
import { createReadMarks } from "../tools/read-marks.ts";
import { refusedEvent } from "../tools/refused-event.ts";
import { createTaskTool } from "../tools/task-tool.ts";
import { createTools } from "../tools/tool-catalog.ts";
import { createToolkit, type Toolkit } from "../tools/toolkit.ts";
import { delegateTask } from "./delegate-task.ts";
import { leadPrompt, subagentTypeLines } from "./lead-prompt.ts";
import type { LeadScope } from "./lead-scope.ts";

export interface LeadAgentOptions {
  readonly scope: LeadScope;
  readonly lease: ExecutionLease;
  readonly models: Models;
  readonly usage: UsageSink;
  readonly saver: BaseCheckpointSaver;
  readonly delegate: Delegate;
  readonly maxModelCalls: number;
  readonly onTrim: (trimmed: TrimmedCalls) => void;
  readonly mcp: McpTools;
  /** The run's log. */
  readonly events: EventSink;
}

export interface LeadAgent {
  readonly agent: CompiledAgent;
  readonly turns: TurnLimit;
}

/** The lead of one run. */
export async function createLeadAgent(options: LeadAgentOptions): Promise<LeadAgent> {
  const { scope, onTrim } = options;
  const { run, config, capabilities } = scope;
  const limits = delegationLimits({ config, context: run.context, lane: run.lane, capabilities });
  const turns = createTurnLimit(options.maxModelCalls);
  const limit = createSubagentLimit({ ...limits, spent: run.calls, onTrim });
  const toolkit = leadToolkit(options, limits.maxTotal);
  const agent = createAgent({
    model: await options.models.get(scope.model.name),
    tools: toolkit.tools,
    middleware: [...toolkit.outer, ...(scope.canDelegate ? [limit] : []), ...callMiddleware(options, turns, toolkit)],
    systemPrompt: [leadPrompt(scope, limits), ...toolkit.sections].join("\n\n"),
    checkpointer: options.saver,
  });
  return { agent, turns };
}

function callMiddleware(
  { scope, lease, usage }: LeadAgentOptions,
  turns: TurnLimit,
  { gate: toolGate }: Toolkit,
): AgentMiddleware[] {
  const recorder = createUsageRecorder({
    sink: usage,
    ownerId: scope.run._id,
    epoch: lease.epoch,
    runId: scope.run._id,
    caller: "lead",
    modelName: scope.model.name,
  });
  return [turns.middleware, ...modelCallMiddleware({ lease, model: scope.model, usage: recorder, newId, toolGate })];
}

function leadToolkit(options: LeadAgentOptions, maxTotal: number): Toolkit {
  const { scope, mcp, events } = options;
  return createToolkit({
    names: scope.tools,
    own: ownTools(options),
    beside: scope.canDelegate ? [taskTool(options, maxTotal)] : [],
    mcp,
    isSearchEnabled: scope.config.tools.tool_search.enabled,
    onRefused: (refusal) => events.append(refusedEvent(refusal, { ownerId: scope.run._id, caller: "lead" })),
  });
}

function ownTools({ scope, lease }: LeadAgentOptions) {
  return createTools(scope.tools, {
    sandbox: scope.sandbox,
    signal: lease.signal,
    commandTimeoutMs: scope.config.sandbox.command_timeout_seconds * 1000,
    readMarks: createReadMarks(scope.sandbox),
  });
}

function taskTool({ scope, lease, delegate }: LeadAgentOptions, maxTotal: number) {
  return createTaskTool({
    typeLines: subagentTypeLines(scope),
    signal: lease.signal,
    delegate: (call) => delegateTask(call, { scope, maxTotal, delegate }),
  });
}
