import type { DelegationLimits } from "../subagents/delegation-limits.ts";
import { resolveSubagent, subagentNames } from "../subagents/resolve-subagent.ts";
import type { LeadScope } from "./lead-scope.ts";

const ROLE = `<role>
You are the lead agent of Antler. You work in a sandbox with the user's files and answer with facts that you have checked.
</role>

<working_directory>
- /mnt/user-data/uploads: files that the user gave
- /mnt/user-data/workspace: where you work; relative paths start here
- /mnt/user-data/outputs: where results for the user belong
</working_directory>`;

/** A line for each type that the lead may choose. */
export function subagentTypeLines({ config, capabilities }: LeadScope): string[] {
  return subagentNames(config.subagents, capabilities).flatMap((name) => {
    const type = resolveSubagent(config.subagents, name);
    return type === null ? [] : [`- ${name}: ${type.description}`];
  });
}

/** The lead's system prompt; the part on subagents only while it may delegate. */
export function leadPrompt(scope: LeadScope, limits: DelegationLimits): string {
  return scope.canDelegate ? `${ROLE}\n\n${subagentSection(scope, limits)}` : ROLE;
}

function subagentSection(scope: LeadScope, { maxConcurrent, maxTotal }: DelegationLimits): string {
  const parts = [
    "You may delegate with the task tool. Decide by net benefit: delegate when parallel work, a specialised type or a " +
      "clean conversation is worth the overhead; otherwise do the work yourself.",
    `HARD LIMITS: at most ${maxConcurrent} task ${maxConcurrent === 1 ? "call" : "calls"} in one response and at most ` +
      `${maxTotal} in this run. Calls beyond that are DISCARDED and their work is LOST.`,
    ...(maxConcurrent > 1 ? [batches(maxConcurrent)] : []),
    `Types:\n${subagentTypeLines(scope).join("\n")}`,
    ...(scope.capabilities.canRunCommands && scope.tools.includes("bash") ? [EXAMPLE] : []),
  ];
  return `<subagent_system>\n${parts.join("\n\n")}\n</subagent_system>`;
}

function batches(maxConcurrent: number): string {
  return (
    `With more than ${maxConcurrent} independent parts, work in batches: launch up to ${maxConcurrent} task calls in one ` +
    "response, wait for their results, look at what is still missing, launch the next batch, and at the end put all " +
    "results together."
  );
}

const EXAMPLE =
  "Example: to run a test suite and report what fails, call task with subagent_type bash; " +
  "to run one short command, use your own bash tool.";
