import type { Config, ModelConfig } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { chooseModel } from "../models/choose-model.ts";
import type { RunToExecute } from "../ports.ts";
import type { Skill } from "../skills/skill.ts";
import type { SubagentCapabilities } from "../subagents/resolve-subagent.ts";
import { type ToolEntry, toolsInScope } from "../tools/tool-policy.ts";

/** What a run may use, settled once at its start. */
export interface LeadScope {
  readonly run: RunToExecute;
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly capabilities: SubagentCapabilities;
  readonly model: ModelConfig;
  readonly toolGroups: readonly string[] | null;
  /** Tools of MCP servers that were there when the run began. */
  readonly mcp: readonly ToolEntry[];
  /** The lead's own tools, without `task`. */
  readonly tools: readonly string[];
  readonly canDelegate: boolean;
  readonly skills: readonly Skill[];
}

export interface LeadScopeSources {
  readonly run: RunToExecute;
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly capabilities: SubagentCapabilities;
  readonly mcp: readonly ToolEntry[];
  readonly skills: readonly Skill[];
}

/** @throws AntlerError `model_unknown`. */
export function leadScope({ run, config, sandbox, capabilities, mcp, skills }: LeadScopeSources): LeadScope {
  const groups = run.context.tool_groups ?? null;
  return {
    run,
    config,
    sandbox,
    capabilities,
    model: chooseModel(config, run.context.model_name),
    toolGroups: groups,
    mcp,
    tools: toolsInScope({ groups, ...capabilities, mcp }),
    canDelegate: run.context.subagent_enabled ?? true,
    skills,
  };
}
