import { type Config, isAntlerError, type TaskEnvelope } from "@antler/contracts";

import type { ExecutionDeps } from "../execution-deps.ts";
import type { TaskToExecute } from "../ports.ts";
import { allowedTools } from "../skills/allowed-tools.ts";
import { inheritedSkills } from "../skills/inherited-skills.ts";
import { type LoadedSkills, loadSkills } from "../skills/load-skills.ts";
import { skillSections } from "../skills/skill-section.ts";
import { resolveSubagent } from "../subagents/resolve-subagent.ts";
import { verifyEnvelope } from "../subagents/verify-envelope.ts";
import { narrowTools } from "../tools/tool-policy.ts";
import { type ChildEnding, failedTask } from "./child-outcome.ts";

type PreparationDeps = Pick<ExecutionDeps, "config" | "workspaces" | "skills">;

/** A task that may begin. */
export interface PreparedTask {
  /** As it was checked; its tools narrowed further by what the skills allow, unless they do so later. */
  readonly envelope: TaskEnvelope;
  readonly skills: LoadedSkills;
  /** What the system message says of skills. */
  readonly sections: readonly string[];
}

/** Checks the envelope and loads the skills, before anything else of the task is touched; or how the task fails. */
export async function prepareTask(
  deps: PreparationDeps,
  task: TaskToExecute,
): Promise<PreparedTask | { readonly ending: ChildEnding }> {
  const envelope = verified(deps, task);
  if ("ending" in envelope) return envelope;
  try {
    return await withSkills(deps, envelope);
  } catch (error) {
    return { ending: failedTask(error, null) };
  }
}

function verified(
  { config, workspaces }: PreparationDeps,
  task: TaskToExecute,
): TaskEnvelope | { ending: ChildEnding } {
  try {
    return verifyEnvelope(task, {
      config,
      capabilities: { canRunCommands: workspaces.bashAvailable, canFetch: config.web_fetch.enabled },
    });
  } catch (error) {
    if (!isAntlerError(error, "envelope_refused")) throw error;
    return { ending: failedTask(error, null) };
  }
}

async function withSkills(deps: PreparationDeps, envelope: TaskEnvelope): Promise<PreparedTask> {
  const { skills: rules, subagents } = deps.config;
  const ofType = resolveSubagent(subagents, envelope.subagent.name)?.skills ?? null;
  const allowed = inheritedSkills(envelope.skills, ofType);
  const skills = await loadSkills(deps.skills, { tenantId: envelope.identity.tenant_id, allowed });
  const atStart = rules.tool_policy === "at_start" ? toolsAtStart(skills, rules) : null;
  return {
    envelope: { ...envelope, tools: narrowTools(envelope.tools, { allowed: atStart, denied: [] }) },
    skills,
    sections: skillSections(skills.skills, rules.loading),
  };
}

/** Skills that the agent is only told of by name must stay readable, whatever they list. */
function toolsAtStart({ skills }: LoadedSkills, { loading }: Config["skills"]): readonly string[] | null {
  const allowed = allowedTools(skills);
  return allowed === null || loading === "eager" ? allowed : [...allowed, "read_file"];
}
