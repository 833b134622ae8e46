import { AIMessage } from "@langchain/core/messages";

import { isAntlerError, modelCallLimit } from "@antler/contracts";

import { isLimitExhausted } from "../delegations/dropped-calls.ts";
import type { LeadOutcome } from "../ports.ts";
import { beginLead } from "./begin-lead.ts";
import { closingMessages } from "./close-interrupted-calls.ts";
import { createLeadAgent, type LeadAgent } from "./lead-agent.ts";
import type { LeadDrive } from "./lead-drive.ts";
import { cappedRun, endedRun, interruptedRun } from "./lead-outcome.ts";
import { leadScope } from "./lead-scope.ts";
import { streamLead } from "./stream-lead.ts";

/** How long the subagents of a cancelled run may take to end before their calls are closed without a result. */
const CANCEL_WAIT_MS = 10_000;

/** Leads a run to its end. */
export async function driveLead(drive: LeadDrive): Promise<LeadOutcome> {
  const { run, lease } = drive;
  const maxModelCalls = run.max_model_calls ?? modelCallLimit(run.config, drive.deps.config.runs.max_model_calls);
  const lead = await leadOf(drive, maxModelCalls);
  try {
    const { input, earlier } = await beginLead(drive, lead.agent);
    lead.turns.countEarlier(earlier.filter((message) => AIMessage.isInstance(message)).length);
    if (earlier.some(isLimitExhausted)) lead.guards.reason.note("subagent_limit_capped");
    const interrupts = await streamLead(drive, { agent: lead.agent, input, maxModelCalls });
    if (interrupts.length > 0) return interruptedRun(interrupts);
  } catch (error) {
    if (isInterruption(lease.signal.reason)) await closeCalls(drive, lead);
    if (lease.signal.aborted || !lead.turns.isReached()) throw error;
    return cappedRun(maxModelCalls, run.config);
  }
  return endedRun(await lead.agent.messages(run.thread_id), lead.guards.reason.get() ?? "completed");
}

function leadOf(drive: LeadDrive, maxModelCalls: number): Promise<LeadAgent> {
  const { deps, run, lease, events, sandbox, mcp, skills } = drive;
  const { config, models, usage, saver, delegate } = deps;
  const capabilities = { canRunCommands: deps.workspaces.bashAvailable, canFetch: config.web_fetch.enabled };
  const scope = leadScope({ run, config, sandbox, capabilities, mcp: mcp.tools, skills: skills.skills });
  return createLeadAgent({
    scope,
    lease,
    models,
    usage,
    saver,
    delegate,
    maxModelCalls,
    onTrim: (dropped) => events.trimmed(dropped),
    mcp,
    events: deps.events,
  });
}

/** A rolled-back run leaves nothing behind that could be closed. */
function isInterruption(reason: unknown): boolean {
  return isAntlerError(reason, "cancelled") && reason.details["action"] !== "rollback";
}

/** Leaves a thread behind in which every call has its result, as far as the claim still lets it. */
async function closeCalls({ deps, run, events }: LeadDrive, { agent }: LeadAgent): Promise<void> {
  const { thread_id: threadId } = run;
  const sources = { messages: await agent.messages(threadId), finished: [], endedCalls: deps.endedCalls };
  const results = await closingMessages(sources, CANCEL_WAIT_MS);
  if (results.length === 0) return;
  await agent.addResults(run.thread_id, results);
  events.messages(results);
}
