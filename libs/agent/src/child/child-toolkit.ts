import type { AgentMiddleware } from "langchain";

import type { Config, TaskEnvelope } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import type { McpTools } from "../mcp/mcp-pool.ts";
import { createSkillActivation } from "../middleware/skill-activation.ts";
import type { EventSink, ExecutionLease } from "../ports.ts";
import type { LoadedSkills } from "../skills/load-skills.ts";
import { createToolkit, type Toolkit } from "../toolkit.ts";
import { createTools } from "../tools/tool-catalog.ts";
import { type RefusedCaller, refusedEvent, type ToolRefusal } from "../tools/tool-refusal.ts";

export interface ChildToolOptions {
  readonly envelope: TaskEnvelope;
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly lease: ExecutionLease;
  readonly mcp: McpTools;
  /** The log of the task's run. */
  readonly events: EventSink;
}

/** The tools of a subagent: those of its envelope and, over the deferred ones among them, the search. */
export function createChildToolkit({ envelope, config, sandbox, lease, mcp, events }: ChildToolOptions): Toolkit {
  const { tools: names } = envelope;
  return createToolkit({
    names,
    own: createTools(names, { config, sandbox, signal: lease.signal }),
    beside: [],
    mcp,
    isSearchEnabled: config.tools.tool_search.enabled,
    onRefused: (refusal) => events.append(refusedEvent(refusal, refusedCaller(envelope))),
  });
}

export interface ActivationOptions {
  readonly envelope: TaskEnvelope;
  readonly config: Config;
  readonly skills: LoadedSkills;
  /** The log of the task's run. */
  readonly events: EventSink;
}

/** What narrows the tools while the subagent runs; under the policy `at_start` they are narrowed already. */
export function skillActivation({ config, envelope, skills, events }: ActivationOptions): AgentMiddleware[] {
  if (config.skills.tool_policy === "at_start") return [];
  const onRefused = (refusal: ToolRefusal) => events.append(refusedEvent(refusal, refusedCaller(envelope)));
  return [createSkillActivation({ skills: skills.skills, onRefused })];
}

function refusedCaller({ task_id: taskId, subagent }: TaskEnvelope): RefusedCaller {
  return { ownerId: taskId, taskId, caller: `subagent:${subagent.name}` };
}
