import { z } from "zod";

import { AntlerError, type Config, TaskEnvelope } from "@antler/contracts";

import { claimedByServers } from "../mcp/mcp-names.ts";
import type { TaskToExecute } from "../ports.ts";
import { resolveSubagent, type SubagentCapabilities } from "./resolve-subagent.ts";
import { subagentTools } from "./subagent-tools.ts";

export interface EnvelopeRules {
  readonly config: Pick<Config, "subagents" | "models" | "tools">;
  readonly capabilities: SubagentCapabilities;
}

/**
 * Checks an envelope against this runner's own configuration before anything of it is used.
 * @throws AntlerError `envelope_refused` that names the field.
 */
export function verifyEnvelope(task: TaskToExecute, { config, capabilities }: EnvelopeRules): TaskEnvelope {
  const parsed = TaskEnvelope.safeParse(task.envelope);
  if (!parsed.success) throw refused(z.prettifyError(parsed.error));
  const envelope = parsed.data;
  checkIdentity(task, envelope);
  const type = resolveSubagent(config.subagents, envelope.subagent.name);
  if (type === null) throw refused(`subagent type ${envelope.subagent.name} is not known here`);
  if (!config.models.some(({ name }) => name === envelope.model_name))
    throw refused(`model ${envelope.model_name} is not configured here`);
  const mcp = claimedByServers(config.tools.mcp, envelope.tools);
  const permitted = subagentTools(type, { groups: envelope.tool_groups, ...capabilities, mcp });
  const excess = envelope.tools.filter((name) => !permitted.includes(name));
  if (excess.length > 0) throw refused(`tools ${excess.join(", ")} are not permitted to ${type.name} here`);
  return envelope;
}

function checkIdentity(task: TaskToExecute, envelope: TaskEnvelope): void {
  const pairs = {
    task_id: [task._id, envelope.task_id],
    run_id: [task.run_id, envelope.run_id],
    thread_id: [task.thread_id, envelope.thread_id],
    tool_call_id: [task.call_id, envelope.tool_call_id],
    "identity.tenant_id": [task.tenant_id, envelope.identity.tenant_id],
  };
  const wrong = Object.entries(pairs).filter(([, [own, written]]) => own !== written);
  if (wrong.length > 0) throw refused(`${wrong.map(([field]) => field).join(", ")} differ from the task's row`);
}

function refused(reason: string): AntlerError {
  return new AntlerError("envelope_refused", `Task envelope is refused: ${reason}`);
}
