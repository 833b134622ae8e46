import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type SkillFiles, skillFiles, skillText } from "../../libs/agent/test/support/skill-files.ts";
import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says, systemTexts, toolNames } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

const task = { name: "task", args: { description: "d", prompt: "p", subagent_type: "general-purpose" }, id: "c1" };
const look = { name: "bash", args: { description: "l", command: "ls /mnt/skills; sh /mnt/skills/alpha/run.sh" } };

function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (results > 0) return says(`It is ${JSON.stringify(request.messages.at(-1)?.content)}.`);
  return calls(isLead(request) ? task : look);
}

let files: SkillFiles;
let stack: ServiceStack;
let client: GatewayClient;

beforeAll(async () => {
  files = await skillFiles({
    "shared/alpha/SKILL.md": skillText("alpha", { tools: "[bash, read_file]" }),
    "tenants/default/alpha/SKILL.md": skillText("alpha", { tools: "[bash, read_file]", body: "Alpha of the tenant." }),
    "tenants/default/alpha/run.sh": "echo ran alpha",
    "shared/beta/SKILL.md": skillText("beta"),
    "shared/gamma/SKILL.md": skillText("gamma"),
  });
  const subagents = { agents: { "general-purpose": { skills: ["gamma", "alpha"] } } };
  stack = await startServiceStack({ document: { skills: { dir: files.dir }, subagents }, answer });
  client = gatewayClient(stack.url);
});
afterAll(async () => {
  await stack.stop();
  await files[Symbol.asyncDispose]();
});

const skillsIn = (request: ModelRequest | undefined) =>
  ["Alpha of the tenant", "Steps of beta", "Steps of gamma"].filter((words) =>
    request === undefined ? false : systemTexts(request).join("").includes(words),
  );

describe("the skills of a run", () => {
  it("reach its lead, and its subagent as far as its type has them, with their tools and files", async () => {
    const ids = await client.startRun({ context: { available_skills: ["alpha", "beta"] } });

    await client.join(ids);

    const lead = stack.model.requests.filter(isLead);
    const child = stack.model.requests.filter((request) => !isLead(request));
    expect(skillsIn(lead[0])).toEqual(["Alpha of the tenant", "Steps of beta"]);
    expect(skillsIn(child[0])).toEqual(["Alpha of the tenant"]);
    expect(toolNames(child[0]!)).toEqual(["bash", "read_file"]);
    expect(child[1]?.messages.at(-1)?.content).toBe("alpha\nran alpha");
    expect(child).toHaveLength(2);
  });
});
