import { failedOutcome, type SubagentOutcome, taskFrameOf } from "@antler/contracts";

import type { Delegate } from "../ports.ts";
import type { SubagentType } from "../subagents/built-in-subagents.ts";
import { resolveSubagent, subagentNames } from "../subagents/resolve-subagent.ts";
import type { TaskCall } from "../tools/task-tool.ts";
import type { LeadScope } from "./lead-scope.ts";
import { taskDraft } from "./task-draft.ts";

export interface TaskDelegationOptions {
  readonly scope: LeadScope;
  readonly maxTotal: number;
  readonly delegate: Delegate;
}

/** Carries out one task call: resolves it into an envelope, hands that over, and shows what happens meanwhile. */
export async function delegateTask(call: TaskCall, options: TaskDelegationOptions): Promise<SubagentOutcome> {
  const type = chosenType(call.subagent_type, options.scope);
  if (typeof type === "string") return failedOutcome(type);
  const { callId, description, prompt } = call;
  return options.delegate({
    envelope: taskDraft(options.scope, { callId, description, prompt, type }),
    maxTotal: options.maxTotal,
    signal: call.signal,
    onEvent: (event) => {
      const frame = taskFrameOf(event);
      if (frame !== null) call.onFrame(frame);
    },
  });
}

/** The chosen type, or why it cannot be had. */
function chosenType(name: string, { config, capabilities, sandbox }: LeadScope): SubagentType | string {
  const type = resolveSubagent(config.subagents, name);
  if (type === null) {
    const names = subagentNames(config.subagents, capabilities).join(", ");
    return `Unknown subagent type '${name}'. Available: ${names}`;
  }
  if (name !== "bash" || capabilities.canRunCommands) return type;
  return (
    `Bash subagent is disabled for LocalSandboxProvider, because commands of ${sandbox.id} would run unisolated on ` +
    "the host. Use an isolated sandbox provider such as bubblewrap, or set sandbox.allow_host_bash: true"
  );
}
