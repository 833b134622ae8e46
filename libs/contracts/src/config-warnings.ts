import { BUILT_IN_TYPES } from "./config-faults.ts";
import type { ConfigShape } from "./config-shape.ts";

/** What of a valid configuration has no effect, each with its path and a remedy. */
export function configWarnings({ subagents }: Pick<ConfigShape, "subagents">): readonly string[] {
  return Object.keys(subagents.custom_agents)
    .filter((name) => BUILT_IN_TYPES.includes(name))
    .map(
      (name) =>
        `subagents.custom_agents.${name} is ignored: ${name} is a built-in type; ` +
        `give it another name, or tune the built-in type under subagents.agents.${name}`,
    );
}
