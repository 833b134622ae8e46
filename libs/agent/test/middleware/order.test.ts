import { channel } from "node:diagnostics_channel";

import { describe, expect, it } from "vitest";

import { says, startModelServer } from "../../../../test/harness/model-server.ts";
import { AGENT_CREATED, type AgentSpec } from "../../src/create-agent.ts";
import { createModels, executeTask } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";

/** The names of an agent's middlewares, outermost first. */
async function namesOf(agent: "lead" | "subagent"): Promise<readonly string[]> {
  await using server = await startModelServer(() => says("Done"));
  const config = aConfig(server.baseUrl, { summarization: { enabled: true } });
  await using opened = await openWorkspaces(config);
  const specs: AgentSpec[] = [];
  const note = (spec: unknown) => void specs.push(spec as AgentSpec);
  channel(AGENT_CREATED).subscribe(note);
  try {
    const deps = { config, models: createModels(config, {}), ...opened, ...aRecorder().sinks };
    await (agent === "lead" ? startLead({ config, ...opened }).outcome : executeTask(deps, aTask(), aLease()));
  } finally {
    channel(AGENT_CREATED).unsubscribe(note);
  }
  return specs.flatMap(({ middleware }) => middleware.map(({ name }) => name));
}

const OF_ALL = [
  ["LoopDetection", "CutAnswerGuard", "calls of a cut answer are not run, and so are not repeated"],
  ["CutAnswerGuard", "PendingNotices", "a notice goes into the request that the guards are around"],
  ["PendingNotices", "AnswerSettling", "guards see the ids that calls keep"],
  ["AnswerSettling", "ToolErrors", "the result of a failed call gets an id too"],
  ["ToolOutputBudget", "ToolErrors", "the words of an error are bounded too"],
  ["ToolErrors", "ToolGate", "nothing that a gate throws ends the execution"],
  ["UsageRecorder", "modelRetryMiddleware", "a call of the loop is counted once"],
  ["ModelErrors", "modelRetryMiddleware", "only what has failed for good gets a code"],
  ["OpenCallClosing", "AnswerOutputBudget", "results are bounded where they stand behind their calls"],
  ["AnswerOutputBudget", "ContextWindow", "the window counts what is shown"],
  ["InputNeutralising", "ContextWindow", "the marks of input are counted"],
  ["SingleSystemMessage", "ContextWindow", "the system message is counted"],
  ["ContextWindow", "RequestCheck", "nothing changes a request after it was checked"],
  ["modelRetryMiddleware", "RetryAfterWait", "each attempt waits as long as was asked"],
  ["modelRetryMiddleware", "WholeAnswer", "an answer that broke off is asked for again"],
  ["RetryAfterWait", "ExecutionGuard", "the lease is looked at after every wait"],
  ["RequestCheck", "ExecutionGuard", "the lease is looked at last"],
] as const;

const OF_LEADS = [
  ["SubagentLimit", "TurnLimit", "what is delegated is decided over the whole call"],
  ["DelegationContext", "InputNeutralising", "the block is put before the turn's own message"],
  ["TurnLimit", "EmptyAnswerNudge", "the second question of one call is no call of its own"],
] as const;

const OF_SUBAGENTS = [
  ["TurnLimit", "StepRecorder", "a call that is refused leaves no step"],
  ["StepRecorder", "MarkedFailure", "a model that failed is a step"],
  ["MarkedFailure", "ModelErrors", "a failure is marked by its code"],
  ["StepRecorder", "LoopDetection", "steps tell an answer as the guards leave it"],
  ["StepRecorder", "AnswerSettling", "steps tell the ids that calls keep"],
] as const;

describe.each([
  ["lead", [...OF_ALL, ...OF_LEADS]],
  ["subagent", [...OF_ALL, ...OF_SUBAGENTS]],
] as const)("around the calls of a %s", (agent, rules) => {
  it("each middleware stands outside of those that it must surround", async () => {
    const names = await namesOf(agent);
    const broken = rules.filter(([outer, inner]) => {
      const [at, within] = [names.indexOf(outer), names.indexOf(inner)];
      return at === -1 || within === -1 || at > within;
    });

    expect(broken).toEqual([]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
