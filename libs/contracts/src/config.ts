import type { z } from "zod";
import { ConfigShape } from "./config-shape.ts";

/** The whole configuration: antler.yaml with the environment over it. */
export const Config = ConfigShape.superRefine(checkLimits).superRefine(checkReferences);
export type Config = z.output<typeof Config>;

interface Issues {
  addIssue(issue: { code: "custom"; path: string[]; message: string }): void;
}

function checkLimits({ runs, subagents, sandbox, delivery }: ConfigShape, { addIssue }: Issues): void {
  const complain = (path: string[], message: string) => addIssue({ code: "custom", path, message });
  const longest = Math.max(subagents.timeout_seconds, ...timeoutsOf(subagents));
  if (sandbox.command_timeout_seconds >= subagents.timeout_seconds)
    complain(["sandbox", "command_timeout_seconds"], "must be below subagents.timeout_seconds");
  if (longest >= runs.timeout_seconds)
    complain(["runs", "timeout_seconds"], `must be above every subagent's timeout (${longest})`);
  if (delivery.lease_seconds >= delivery.ack_wait_seconds)
    complain(["delivery", "lease_seconds"], "must be below delivery.ack_wait_seconds");
  if (delivery.renewal_seconds * 2 > delivery.lease_seconds)
    complain(["delivery", "renewal_seconds"], "must be at most half of delivery.lease_seconds");
}

function timeoutsOf(subagents: ConfigShape["subagents"]): number[] {
  const own = [...Object.values(subagents.agents), ...Object.values(subagents.custom_agents)];
  return own.map((agent) => agent.timeout_seconds ?? 0);
}

function checkReferences({ subagents, models, pools }: ConfigShape, { addIssue }: Issues): void {
  const complain = (path: string[], message: string) => addIssue({ code: "custom", path, message });
  const known = new Set(models.map((model) => model.name));
  for (const [name, agent] of Object.entries(subagents.custom_agents)) {
    const path = ["subagents", "custom_agents", name];
    if (!(agent.pool in pools)) complain([...path, "pool"], `is not among pools: ${Object.keys(pools).join(", ")}`);
    if (["lead", "checker"].includes(agent.pool)) complain([...path, "pool"], "lead and checker do not take tasks");
    if (agent.model !== "inherit" && !known.has(agent.model))
      complain([...path, "model"], "is not the name of a model in models");
  }
}
