import type { SubagentsConfig } from "@antler/contracts";

import { BUILT_IN_SUBAGENTS, type SubagentType } from "./built-in-subagents.ts";

export interface SubagentCapabilities {
  /** Whether commands can run, isolated or with leave. */
  readonly canRunCommands: boolean;
  /** Whether agents may read the web. */
  readonly canFetch: boolean;
}

/** The type of that name with the configuration over it; null when there is none. Built-in names come first. */
export function resolveSubagent(config: SubagentsConfig, name: string): SubagentType | null {
  const builtIn = BUILT_IN_SUBAGENTS.find((type) => type.name === name);
  const type = builtIn === undefined ? customSubagent(config, name) : withGlobals(builtIn, config);
  return type === null ? null : withOverride(type, config);
}

/** Names that a lead may choose, built-in ones first. Without commands the `bash` type is hidden. */
export function subagentNames(
  config: SubagentsConfig,
  { canRunCommands }: Pick<SubagentCapabilities, "canRunCommands">,
): string[] {
  const builtIn = BUILT_IN_SUBAGENTS.map(({ name }) => name);
  const custom = Object.keys(config.custom_agents).filter((name) => !builtIn.includes(name));
  return [...builtIn, ...custom].filter((name) => name !== "bash" || canRunCommands);
}

function customSubagent({ custom_agents: agents }: SubagentsConfig, name: string): SubagentType | null {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent === undefined) return null;
  return {
    name,
    description: agent.description,
    systemPrompt: agent.system_prompt,
    tools: agent.tools,
    deniedTools: agent.disallowed_tools ?? [],
    model: agent.model === "inherit" ? null : agent.model,
    skills: agent.skills,
    maxTurns: agent.max_turns,
    timeoutSeconds: agent.timeout_seconds,
    tokenBudget: agent.token_budget ?? {},
    pool: agent.pool,
  };
}

/** The global limits are for built-in types only. */
function withGlobals(type: SubagentType, { timeout_seconds, max_turns }: SubagentsConfig): SubagentType {
  return { ...type, timeoutSeconds: timeout_seconds, maxTurns: max_turns ?? type.maxTurns };
}

function withOverride(type: SubagentType, { agents }: SubagentsConfig): SubagentType {
  const override = Object.hasOwn(agents, type.name) ? agents[type.name] : undefined;
  return {
    ...type,
    timeoutSeconds: override?.timeout_seconds ?? type.timeoutSeconds,
    maxTurns: override?.max_turns ?? type.maxTurns,
    tokenBudget: { ...type.tokenBudget, ...override?.token_budget },
    model: override?.model ?? type.model,
    skills: override?.skills === undefined ? type.skills : override.skills,
  };
}
