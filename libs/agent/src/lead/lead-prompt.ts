import { escapedMarkup } from "../messages/escaped-markup.ts";
import { skillSections } from "../skills/skill-section.ts";
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

/** A line for each type that the lead may choose, with the first line of its description. */
export function subagentTypeLines({ config, capabilities }: LeadScope): string[] {
  return subagentNames(config.subagents, capabilities).flatMap((name) => {
    const type = resolveSubagent(config.subagents, name);
    return type === null ? [] : [`- ${name}: ${escapedMarkup(firstLine(type.description))}`];
  });
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n\u0085\u2028\u2029]/)[0] ?? "";
}

/** The lead's system prompt, without what tools add to it; the part on subagents only while it may delegate. */
export function leadPrompt(scope: LeadScope, limits: DelegationLimits): string {
  const delegation = scope.canDelegate ? [subagentSection(scope, limits)] : [];
  return [ROLE, ...delegation, ...skillSections(scope.skills, scope.config.skills.loading)].join("\n\n");
}

function subagentSection(scope: LeadScope, { maxConcurrent, maxTotal }: DelegationLimits): string {
  const isParallel = maxConcurrent > 1;
  const parts = [
    `You may delegate with the task tool. Decide by net benefit: delegate when ${isParallel ? "parallel work, " : ""}a ` +
      "specialised type or a clean conversation is worth the overhead; otherwise do the work yourself.",
    `HARD LIMITS: at most ${maxConcurrent} task ${isParallel ? "calls" : "call"} in one response and at most ` +
      `${maxTotal} in this run. Calls beyond that are DISCARDED and their work is LOST.`,
    ...(isParallel ? [batches(maxConcurrent)] : []),
    `Types:\n${subagentTypeLines(scope).join("\n")}`,
    ...(scope.capabilities.canRunCommands && scope.tools.includes("bash") ? [EXAMPLE] : []),
  ];
  return `<subagent_system>\n${parts.join("\n\n")}\n</subagent_system>`;
}

/** The walk through work that has more parts than one response may start. */
function batches(maxConcurrent: number): string {
  return `With more than ${maxConcurrent} independent parts, work in batches:
1. Count the parts, and launch up to ${maxConcurrent} task calls in one response.
2. Wait for their results.
3. Look at what is still missing, and launch the next batch in your next response.
4. When nothing is missing, put all results together yourself.`;
}

const EXAMPLE =
  "Example: to run a test suite and report what fails, call task with subagent_type bash; " +
  "to run one short command, use your own bash tool.";
