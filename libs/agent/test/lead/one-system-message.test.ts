import { describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import {
  calls,
  isFromSubagent,
  type ModelAnswer,
  type ModelRequest,
  says,
  startModelServer,
  systemTexts,
} from "../../../../test/harness/model-server.ts";
import { createModels, createSkillStorage, executeTask } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { skillFiles, skillText } from "../support/skill-files.ts";

const FILES = { "shared/alpha/SKILL.md": skillText("alpha"), "shared/beta/SKILL.md": skillText("beta") };
const look = { name: "ls", args: { description: "l", path: "/mnt/skills" } };
const task = { name: "task", args: { description: "d", prompt: "p", subagent_type: "general-purpose" } };
const PARTS = [/Steps of alpha/, /Steps of beta/, /<current_date>\d{4}-\d\d-\d\d \(UTC\)/];

/** A provider that takes one system message, at the head, or none. */
function strictly(answer: (request: ModelRequest) => ModelAnswer) {
  return (request: ModelRequest): ModelAnswer => {
    const places = request.messages.flatMap(({ role }, index) => (role === "system" ? [index] : []));
    if (places.length <= 1 && places.every((index) => index === 0)) return answer(request);
    return { error: { message: "system message must be the first and the only one" }, status: 400 };
  };
}

describe("a provider that takes one system message alone", () => {
  it.each([
    ["first and later turns", {}],
    ["after summaries", { summarization: { enabled: true, trigger_messages: 4, keep_messages: 2 } }],
  ])("FC-A12 gets prompt, skills and date in it, from lead and subagent: %s", async (_when, over) => {
    const turns = {
      lead: [calls(look), calls(task), calls(look), calls(look)],
      child: Array.from({ length: 4 }, () => calls(look)),
    };
    const agentRequests: ModelRequest[] = [];
    await using server = await startModelServer(
      strictly((request) => {
        if (request.tools === undefined) return says("A summary");
        agentRequests.push(request);
        return turns[isFromSubagent(request) ? "child" : "lead"].shift() ?? says("Done");
      }),
    );
    await using folder = await skillFiles(FILES);
    const config = aConfig(server.baseUrl, { skills: { dir: folder.dir }, ...over });
    await using opened = await openWorkspaces(config);
    const skills = createSkillStorage(config.skills);
    const deps = { config, models: createModels(config, {}), ...opened, skills };
    const { delegate } = recordingDelegate(async ({ envelope }) => {
      const taskId = newId();
      const ids = { _id: taskId, tenant_id: "default", run_id: envelope.run_id, thread_id: envelope.thread_id };
      const row = { ...ids, call_id: envelope.tool_call_id, execution_limit_ms: 9000 };
      const full = { ...row, envelope: { ...envelope, task_id: taskId } };
      return anOutcome({ result: (await executeTask({ ...deps, ...aRecorder().sinks }, full, aLease())).result });
    });

    const { outcome } = startLead({ config, ...opened, delegate, skills });

    expect(await outcome).toMatchObject({ status: "success" });
    expect(agentRequests.filter(isFromSubagent)).toHaveLength(5);
    expect(agentRequests.filter((request) => !isFromSubagent(request))).toHaveLength(5);
    for (const request of agentRequests) {
      const [text = "", ...others] = systemTexts(request);
      expect(others).toEqual([]);
      for (const part of PARTS) expect(text).toMatch(part);
    }
  });
});

describe("the skills of a lead", () => {
  it.each([
    [null, ["alpha", "beta"]],
    [["beta", "nope"], ["beta"]],
    [[], []],
  ])("F6: with available_skills %j are %j, and so are those of its files", async (available, names) => {
    const requests: ModelRequest[] = [];
    await using server = await startModelServer((request, index) => {
      requests.push(request);
      return index === 0 ? calls(look) : says("Done");
    });
    await using folder = await skillFiles(FILES);
    const config = aConfig(server.baseUrl, { skills: { dir: folder.dir } });
    await using opened = await openWorkspaces(config);
    const context = { available_skills: available };

    await startLead({ config, ...opened, skills: createSkillStorage(config.skills), run: aRun({ context }) }).outcome;

    const text = systemTexts(requests[0]!)[0] ?? "";
    expect(["alpha", "beta"].filter((name) => text.includes(`Steps of ${name}`))).toEqual(names);
    const listed = JSON.stringify(requests[1]?.messages.at(-1)?.content);
    expect(["alpha", "beta"].filter((name) => listed.includes(`/mnt/skills/${name}`))).toEqual(names);
  });

  it("F6: that cannot be loaded end the run with file and field", async () => {
    await using server = await startModelServer(() => says("Done"));
    await using folder = await skillFiles({ "shared/alpha/SKILL.md": "none" });
    const config = aConfig(server.baseUrl, { skills: { dir: folder.dir } });
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened, skills: createSkillStorage(config.skills) }).outcome;

    expect(outcome).toMatchObject({ status: "error", error: { code: "skill_invalid" } });
    expect(outcome.error?.message).toMatch(/shared\/alpha\/SKILL\.md/);
    expect(server.requests).toEqual([]);
  });
});
