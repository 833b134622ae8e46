import { describe, expect, it } from "vitest";

import { Identity, RunContext, TaskEnvelope } from "@antler/contracts";
import { newId } from "@antler/platform";

import {
  calls,
  inOrder,
  isFromSubagent,
  says,
  startModelServer,
  systemTexts,
  toolNames,
} from "../../../../test/harness/model-server.ts";
import { createModels, executeTask, ThreadState } from "../../src/index.ts";
import { inheritedSkills } from "../../src/skills/inherited-skills.ts";
import { aConfig, aLease, aRecorder, aRun, aSaver, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";

const task = {
  name: "task",
  args: { description: "Count", prompt: "Count the files", subagent_type: "general-purpose" },
  id: "c1",
};

/** What becomes of each key of a lead's context when it delegates. A key that is not listed fails the test. */
const CONTEXT_KEYS = {
  model_name: "copied, unless the type has a model of its own",
  tool_groups: "copied",
  available_skills: "copied, narrowed by the type",
  user_id: "copied as identity",
  user_role: "copied as identity",
  channel_user_id: "copied as identity",
  subagent_enabled: "severed: a subagent never delegates",
  max_concurrent_subagents: "severed: a subagent never delegates",
  max_total_subagents: "severed: a subagent never delegates",
};

const STATE_KEYS = {
  sandbox: "copied",
  thread_data: "copied",
  messages: "severed: a subagent has a conversation of its own",
  title: "severed",
  promoted: "severed: a subagent searches for itself",
  todos: "severed: the lead's list; a subagent has no write_todos",
  artifacts: "severed",
  delegations: "severed: a subagent never delegates",
};

describe("what a task inherits", () => {
  it("is decided for every key of a lead's context and state", () => {
    expect(Object.keys(CONTEXT_KEYS).sort()).toEqual(Object.keys(RunContext.shape).sort());
    expect(Object.keys(STATE_KEYS).sort()).toEqual(Object.keys(ThreadState.fields).sort());
  });

  it("DF-T7 DF-T10 DF-T27 DF-T29 stands in its envelope, and nothing else does", async () => {
    await using server = await startModelServer(inOrder(calls(task), says("Thanks")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());
    const context = {
      model_name: "big",
      tool_groups: ["file:read", "bash"],
      available_skills: ["a", "b"],
      secret: "x",
    };

    const { outcome, run } = startLead({ config, ...opened, delegate, run: aRun({ context }) });
    await outcome;

    const { envelope, maxTotal } = requests[0]!;
    const { system_prompt: prompt, ...limits } = envelope.subagent;
    expect({ ...envelope, subagent: limits }).toEqual({
      version: 1,
      run_id: run._id,
      thread_id: run.thread_id,
      tool_call_id: "c1",
      identity: run.identity,
      trace: run.trace,
      subagent: {
        ...{ name: "general-purpose", max_turns: 150, timeout_seconds: 1800, pool: "general" },
        token_budget: { max_tokens: 2_000_000, warn_tokens: 1_400_000 },
      },
      model_name: "big",
      tool_groups: ["file:read", "bash"],
      tools: ["bash", "ls", "read_file", "glob", "grep"],
      skills: ["a", "b"],
      sandbox: { sandbox_id: expect.any(String) as string },
      thread_data: {
        workspace_path: "/mnt/user-data/workspace",
        uploads_path: "/mnt/user-data/uploads",
        outputs_path: "/mnt/user-data/outputs",
      },
      description: "Count",
      prompt: "Count the files",
    });
    expect(prompt).toMatch(/general-purpose subagent/);
    expect(maxTotal).toBe(6);
    expect(TaskEnvelope.safeParse({ ...envelope, task_id: newId() }).success).toBe(true);
    expect(Object.keys(envelope.identity).sort()).toEqual(Object.keys(Identity.shape).sort());
    expect(JSON.stringify(envelope)).not.toContain("secret");
  });

  it("reaches a real subagent: the same files, no task tool, none of the lead's conversation", async () => {
    const write = {
      name: "write_file",
      args: { description: "w", path: "note.txt", content: "from the lead" },
      id: "w1",
    };
    const read = { name: "read_file", args: { description: "r", path: "note.txt" }, id: "r1" };
    let turns = { lead: 0, child: 0 };
    await using server = await startModelServer((request) => {
      if (isFromSubagent(request)) {
        turns = { ...turns, child: turns.child + 1 };
        return turns.child === 1 ? calls(read) : says(`I read: ${JSON.stringify(request.messages.at(-1)?.content)}`);
      }
      turns = { ...turns, lead: turns.lead + 1 };
      return [calls(write), calls(task), says("Thanks")][turns.lead - 1]!;
    });
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const models = createModels(config, {});
    const childSteps = aRecorder();
    const saver = aSaver();
    const { delegate } = recordingDelegate(async ({ envelope }) => {
      const taskId = newId();
      const row = {
        ...{ _id: taskId, tenant_id: "default", run_id: envelope.run_id, thread_id: envelope.thread_id },
        ...{ call_id: envelope.tool_call_id, execution_limit_ms: 5000, envelope: { ...envelope, task_id: taskId } },
      };
      const done = await executeTask({ config, models, ...opened, ...childSteps.sinks }, row, aLease());
      return anOutcome({ result: done.result });
    });

    const { outcome, run, recorder } = startLead({ config, ...opened, delegate, saver });

    expect(await outcome).toMatchObject({ status: "success" });
    const childRequests = server.requests.filter(isFromSubagent);
    expect(childRequests).toHaveLength(2);
    for (const request of childRequests) {
      expect(toolNames(request)).not.toContain("task");
      expect(systemTexts(request)).toHaveLength(1);
      expect(JSON.stringify(request)).not.toContain("Survey the workspace");
    }
    const told = server.requests.at(-1)?.messages.at(-1)?.content;
    expect(told).toBe('Task Succeeded. Result: I read: "from the lead"');
    const saved = await saver.getTuple({ configurable: { thread_id: run.thread_id, checkpoint_ns: "" } });
    expect(JSON.stringify(saved?.checkpoint.channel_values)).not.toContain("read_file");
    expect(childSteps.events).toHaveLength(3);
    expect(recorder.events.filter(({ type }) => type === "subagent.step")).toEqual([]);
  });
});

describe("inheritedSkills", () => {
  it.each([
    ["DF-T10", ["a", "b"], null, ["a", "b"]],
    ["DF-T11", ["a", "b"], ["c", "b"], ["b"]],
    ["DF-T12", null, ["c"], ["c"]],
    ["DF-T12", [], null, []],
    ["DF-T12", null, null, null],
    ["DF-T12", ["a"], [], []],
  ] as const)("%s of a lead with %j and a type with %j are %j", (_id, ofLead, ofType, expected) => {
    expect(inheritedSkills(ofLead, ofType)).toEqual(expected);
  });
});
