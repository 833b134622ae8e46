import { tokenBudgetOf } from "../guards/token-budget.ts";
import { chooseModel } from "../models/choose-model.ts";
import type { TaskDraft } from "../ports.ts";
import { inheritedSkills } from "../skills/inherited-skills.ts";
import type { SubagentType } from "../subagents/built-in-subagents.ts";
import { subagentTools } from "../subagents/subagent-tools.ts";
import type { LeadScope } from "./lead-scope.ts";

export interface TaskOrder {
  readonly callId: string;
  readonly description: string;
  readonly prompt: string;
  readonly type: SubagentType;
}

/**
 * Everything that a subagent inherits, resolved into explicit lists. What is not named here is severed: the `task`
 * tool, the checkpointer, the lead's messages, its promoted tools and its delegations.
 */
export function taskDraft({ run, config, sandbox, ...scope }: LeadScope, order: TaskOrder): TaskDraft {
  const { type } = order;
  return {
    version: 1,
    run_id: run._id,
    thread_id: run.thread_id,
    tool_call_id: order.callId,
    identity: run.identity,
    trace: run.trace,
    subagent: {
      name: type.name,
      system_prompt: type.systemPrompt,
      max_turns: type.maxTurns,
      timeout_seconds: type.timeoutSeconds,
      pool: type.pool,
      token_budget: tokenBudgetOf(config, config.subagents.token_budget, type.tokenBudget),
    },
    model_name: chooseModel(config, type.model ?? scope.model.name).name,
    tool_groups: scope.toolGroups === null ? null : [...scope.toolGroups],
    tools: subagentTools(type, { groups: scope.toolGroups, ...scope.capabilities, mcp: scope.mcp }),
    skills: inheritedSkills(run.context.available_skills ?? null, type.skills),
    sandbox: { sandbox_id: sandbox.id },
    thread_data: sandbox.threadData,
    description: order.description,
    prompt: order.prompt,
  };
}
