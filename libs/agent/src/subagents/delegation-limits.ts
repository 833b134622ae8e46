import type { Config, Lane, RunContext } from "@antler/contracts";

import { resolveSubagent, type SubagentCapabilities, subagentNames } from "./resolve-subagent.ts";

const MAX_CONCURRENT_CEILING = 64;
const MAX_TOTAL_CEILING = 50;

export interface DelegationLimits {
  /** Most task calls of one answer. */
  readonly maxConcurrent: number;
  /** Most tasks of the run. */
  readonly maxTotal: number;
}

export interface LimitSources {
  readonly config: Pick<Config, "subagents" | "pools">;
  readonly context: RunContext;
  readonly lane: Lane;
  readonly capabilities: SubagentCapabilities;
}

/** The limits of a run: what it asks for within what the pools of its lane can execute at once. */
export function delegationLimits({ config, context, lane, capabilities }: LimitSources): DelegationLimits {
  const { subagents, pools } = config;
  const types = subagentNames(subagents, capabilities).map((name) => resolveSubagent(subagents, name));
  const places = types.map((type) => (type === null ? 1 : (pools[type.pool]?.concurrency[lane] ?? 1)));
  const ceiling = Math.min(MAX_CONCURRENT_CEILING, Math.max(1, ...places));
  return {
    maxConcurrent: clamp(context.max_concurrent_subagents ?? subagents.max_concurrent, ceiling),
    maxTotal: clamp(context.max_total_subagents ?? subagents.max_total_per_run, MAX_TOTAL_CEILING),
  };
}

function clamp(value: number, max: number): number {
  return Math.max(1, Math.min(value, max));
}
