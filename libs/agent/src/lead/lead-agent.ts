import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { AgentMiddleware } from "langchain";

import { newId } from "@antler/platform";

import { type AgentGuards, createAgentGuards } from "../agent-guards.ts";
import type { CompiledAgent } from "../compiled-agent.ts";
import { createAgent } from "../create-agent.ts";
import type { DroppedCalls } from "../delegations/dropped-calls.ts";
import { tokenBudgetOf } from "../guards/token-budget.ts";
import type { McpTools } from "../mcp/mcp-pool.ts";
import { dateNote } from "../messages/date-note.ts";
import { createDelegationContext, DELEGATION_AUTHORITY } from "../middleware/delegation-context.ts";
import { createEmptyAnswerNudge } from "../middleware/empty-answer-nudge.ts";
import { createRepeatedTask } from "../middleware/repeated-task.ts";
import { createSubagentLimit } from "../middleware/subagent-limit.ts";
import { summarizationOf } from "../middleware/summarization.ts";
import { createTodoList } from "../middleware/todo-list.ts";
import { createTurnLimit, type TurnLimit } from "../middleware/turn-limit.ts";
import { createUsageRecorder, type UsageRecorder } from "../middleware/usage-recorder.ts";
import { modelCallMiddleware } from "../model-call-middleware.ts";
import type { Models } from "../models/models.ts";
import type { Delegate, EventSink, ExecutionLease, UsageSink } from "../ports.ts";
import { type DelegationLimits, delegationLimits } from "../subagents/delegation-limits.ts";
import { leadPrompt } from "./lead-prompt.ts";
import type { LeadScope } from "./lead-scope.ts";
import { createLeadToolkit } from "./lead-toolkit.ts";

export interface LeadAgentOptions {
  readonly scope: LeadScope;
  readonly lease: ExecutionLease;
  readonly models: Models;
  readonly usage: UsageSink;
  readonly saver: BaseCheckpointSaver;
  readonly delegate: Delegate;
  readonly maxModelCalls: number;
  readonly onTrim: (dropped: DroppedCalls) => void;
  readonly mcp: McpTools;
  /** The run's log. */
  readonly events: EventSink;
}

export interface LeadAgent {
  readonly agent: CompiledAgent;
  readonly turns: TurnLimit;
  readonly guards: AgentGuards;
}

/** The lead of one run. */
export async function createLeadAgent(options: LeadAgentOptions): Promise<LeadAgent> {
  const { scope, maxModelCalls } = options;
  const { run, config, capabilities } = scope;
  const limits = delegationLimits({ config, context: run.context, lane: run.lane, capabilities });
  const turns = createTurnLimit(maxModelCalls);
  const usage = usageRecorder(options);
  const tokenBudget = tokenBudgetOf(config, config.runs.token_budget);
  const guards = createAgentGuards({ loopDetection: config.loop_detection, tokenBudget, usage });
  const { lease, models } = options;
  const modelName = scope.model.name;
  const summaries = { config, models, modelName, lease, usage, runId: run._id };
  const todos = createTodoList();
  const toolkit = createLeadToolkit({ ...options, limits, todos: todos.tools });
  const delegation = scope.canDelegate ? delegationMiddleware(options, limits, guards) : [];
  const sections = [...(scope.canDelegate ? [DELEGATION_AUTHORITY] : []), ...toolkit.sections];
  const agent = createAgent({
    model: await models.get(modelName),
    tools: toolkit.tools,
    middleware: [
      ...(await summarizationOf(summaries)),
      ...toolkit.outer,
      ...delegation,
      turns.middleware,
      createEmptyAnswerNudge(),
      todos.middleware,
      ...guards.middleware,
      ...modelCallMiddleware({
        ...{ lease, model: scope.model, usage, newId, spent: run.calls, toolGate: toolkit.gate },
        ...{ toolOutput: config.tool_output, sandbox: scope.sandbox },
      }),
    ],
    systemPrompt: [leadPrompt(scope, limits), ...sections, dateNote(new Date())].join("\n\n"),
    checkpointer: options.saver,
  });
  return { agent, turns, guards };
}

/** What a lead that may delegate has around its calls, beyond what every agent has. */
function delegationMiddleware(
  { scope: { run }, onTrim }: LeadAgentOptions,
  limits: DelegationLimits,
  { reason }: AgentGuards,
): AgentMiddleware[] {
  const limit = createSubagentLimit({
    ...limits,
    spent: run.calls,
    runId: run._id,
    onTrim(dropped) {
      if (dropped.isExhausted) reason.note("subagent_limit_capped");
      onTrim(dropped);
    },
  });
  const context = createDelegationContext({ runId: run._id, hasNewInput: run.input !== null });
  return [limit, createRepeatedTask(newId), context];
}

function usageRecorder({ scope, lease, usage }: LeadAgentOptions): UsageRecorder {
  return createUsageRecorder({
    sink: usage,
    ownerId: scope.run._id,
    epoch: lease.epoch,
    runId: scope.run._id,
    caller: "lead",
    modelName: scope.model.name,
  });
}
