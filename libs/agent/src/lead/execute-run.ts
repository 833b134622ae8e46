import { detached } from "../detached.ts";
import { infrastructureFaultIn } from "../execution-fault.ts";
import { serversInGroups } from "../mcp/mcp-names.ts";
import { withMcpTools } from "../mcp/with-mcp-tools.ts";
import type { ExecutionLease, LeadOutcome, RunToExecute } from "../ports.ts";
import { loadSkills } from "../skills/load-skills.ts";
import { withSandbox } from "../with-sandbox.ts";
import { driveLead } from "./drive-lead.ts";
import { createLeadEvents } from "./lead-events.ts";
import { failedRun } from "./lead-outcome.ts";
import type { RunDeps } from "./run-deps.ts";

/**
 * Executes a claimed run to its end: from its input, or from the checkpoint that an earlier claim of it left.
 * @throws AntlerError: the lease's abort reason, `store_unavailable` or `bus_unavailable`.
 */
export async function executeRun(deps: RunDeps, run: RunToExecute, lease: ExecutionLease): Promise<LeadOutcome> {
  const events = createLeadEvents({
    sink: deps.events,
    epoch: lease.epoch,
    modes: run.stream_modes,
    mayBeTrimmed: run.context.subagent_enabled ?? true,
  });
  const owner = { tenantId: run.tenant_id, threadId: run.thread_id };
  const servers = serversInGroups(deps.config.tools.mcp, run.context.tool_groups ?? null);
  try {
    const allowed = run.context.available_skills ?? null;
    const skills = await loadSkills(deps.skills, { tenantId: run.tenant_id, allowed });
    return await detached(() =>
      withSandbox(deps.workspaces, { ...owner, skills: skills.mounts }, (sandbox) =>
        withMcpTools(deps.mcp, { ...owner, servers, signal: lease.signal }, (mcp) =>
          driveLead({ deps, run, lease, events, sandbox, mcp, skills }),
        ),
      ),
    );
  } catch (error) {
    lease.signal.throwIfAborted();
    const fault = infrastructureFaultIn(error);
    if (fault !== undefined) throw fault;
    return failedRun(error);
  } finally {
    events.end();
    await deps.events.flush();
  }
}
