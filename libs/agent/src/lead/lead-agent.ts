import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { AgentMiddleware } from "langchain";

import { newId } from "@antler/platform";

import { type CompiledAgent, createAgent } from "../create-agent.ts";
import { createSubagentLimit } from "../middleware/subagent-limit.ts";
import { createTurnLimit, type TurnLimit } from "../middleware/turn-limit.ts";
import { createUsageRecorder } from "../middleware/usage-recorder.ts";
import { modelCallMiddleware } from "../model-call-middleware.ts";
import type { Models } from "../models/models.ts";
import type { Delegate, ExecutionLease, UsageSink } from "../ports.ts";
import { delegationLimits } from "../subagents/delegation-limits.ts";
import type { TrimmedCalls } from "../subagents/limit-task-calls.ts";
import { createReadMarks } from "../tools/read-marks.ts";
import { createTaskTool } from "../tools/task-tool.ts";
import { createTools } from "../tools/tool-catalog.ts";
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
  const agent = createAgent({
    model: await options.models.get(scope.model.name),
    tools: [...ownTools(options), ...(scope.canDelegate ? [taskTool(options, limits.maxTotal)] : [])],
    middleware: [...(scope.canDelegate ? [limit] : []), ...callMiddleware(options, turns)],
    systemPrompt: leadPrompt(scope, limits),
    checkpointer: options.saver,
  });
  return { agent, turns };
}

function callMiddleware({ scope, lease, usage }: LeadAgentOptions, turns: TurnLimit): AgentMiddleware[] {
  const recorder = createUsageRecorder({
    sink: usage,
    ownerId: scope.run._id,
    epoch: lease.epoch,
    runId: scope.run._id,
    caller: "lead",
    modelName: scope.model.name,
  });
  return [turns.middleware, ...modelCallMiddleware({ lease, model: scope.model, usage: recorder, newId })];
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
