import { channel } from "node:diagnostics_channel";

import { describe, expect, it } from "vitest";

import {
  calls,
  inOrder,
  type ModelAnswer,
  type ModelRequest,
  says,
  startModelServer,
  systemTexts,
  toolNames,
} from "../../../../test/harness/model-server.ts";
import { AGENT_CREATED } from "../../src/create-agent.ts";
import { createModels, createSkillStorage, executeTask, type SkillStorage } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces, type TaskChoices } from "../support/executions.ts";
import { skillFiles, skillText } from "../support/skill-files.ts";

const FILES = {
  "shared/alpha/SKILL.md": skillText("alpha", { tools: "[ls, read_file]" }),
  "shared/beta/SKILL.md": skillText("beta", { tools: "bash" }),
  "shared/free/SKILL.md": skillText("free"),
  "shared/free/run.sh": "echo ran free",
  "shared/off/SKILL.md": skillText("off"),
  "tenants/other/secret/SKILL.md": skillText("secret"),
};

const read = (path: string) => ({ name: "read_file", args: { description: "r", path }, id: `read:${path}` });
const bash = (command: string) => ({ name: "bash", args: { description: "b", command }, id: `bash:${command}` });

interface Execution {
  readonly rules?: Record<string, unknown>;
  readonly skills?: string[] | null;
  readonly task?: TaskChoices;
  readonly storage?: SkillStorage;
  readonly files?: Record<string, string>;
}

type Answer = (request: ModelRequest, index: number) => ModelAnswer;

async function execute(
  answer: Answer,
  { rules = {}, skills = null, task = {}, storage, files = FILES }: Execution = {},
) {
  await using server = await startModelServer(answer);
  await using folder = await skillFiles(files);
  const config = aConfig(server.baseUrl, { skills: { dir: folder.dir, disabled: ["off"], ...rules } });
  await using opened = await openWorkspaces(config);
  const recorder = aRecorder();
  const deps = { config, models: createModels(config, {}), ...opened, ...recorder.sinks };
  const outcome = await executeTask(
    { ...deps, skills: storage ?? createSkillStorage(config.skills) },
    aTask({ ...task, envelope: { skills } }),
    aLease(),
  );
  return { outcome, requests: server.requests, events: recorder.events };
}

const answersTo = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => content);

describe("the skills of a task", () => {
  it("DF-X16 DF-X18 follow the prompt in the one system message, whole, and the date ends it", async () => {
    const { requests } = await execute(inOrder(says("Done")), { skills: ["free", "alpha", "nope", "off"] });

    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const [text] = systemTexts(requests[0]!);
    expect(text).toMatch(
      /You were given one task.*Steps of alpha.*Steps of free.*<current_date>\d{4}-\d\d-\d\d \(UTC\)/,
    );
    expect(text).not.toMatch(/Steps of (beta|off)|secret/);
  });

  it("DF-X18 make a system message where the type has no prompt", async () => {
    const { requests } = await execute(inOrder(says("Done")), { skills: ["free"], task: { systemPrompt: "" } });

    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(systemTexts(requests[0]!)[0]).toMatch(/^"<skills>/);
  });

  it("F6: are all that are enabled for the tenant when nothing restricts them", async () => {
    const { requests } = await execute(inOrder(says("Done")));

    expect(systemTexts(requests[0]!)[0]).toMatch(/Steps of alpha.*Steps of beta.*Steps of free/);
    expect(systemTexts(requests[0]!)[0]).not.toMatch(/Steps of off|secret/);
  });

  it("F6: stay within the list of the type, whatever the envelope says", async () => {
    const rules = { subagents: { agents: { "general-purpose": { skills: ["free"] } } } };
    await using server = await startModelServer(inOrder(says("Done")));
    await using folder = await skillFiles(FILES);
    const config = aConfig(server.baseUrl, { skills: { dir: folder.dir }, ...rules });
    await using opened = await openWorkspaces(config);
    const deps = { config, models: createModels(config, {}), ...opened, ...aRecorder().sinks };

    await executeTask({ ...deps, skills: createSkillStorage(config.skills) }, aTask(), aLease());

    expect(systemTexts(server.requests[0]!)[0]).not.toMatch(/Steps of (alpha|beta)/);
  });

  it("metadata: are listed, and their bodies read from their place", async () => {
    const path = "/mnt/skills/free/SKILL.md";
    const { requests } = await execute(inOrder(calls(read(path)), says("Done")), { rules: { loading: "metadata" } });

    expect(systemTexts(requests[0]!)[0]).toMatch(/How to do free/);
    expect(systemTexts(requests[0]!)[0]).not.toMatch(/Steps of/);
    expect(answersTo(requests[1])[0]).toMatch(/Steps of free/);
  });

  it("metadata: leave the agent the means to read them, whatever tools they list", async () => {
    const files = { "shared/solo/SKILL.md": skillText("solo", { tools: "[ls]" }) };
    const { requests } = await execute(inOrder(says("Done")), { files, rules: { loading: "metadata" } });

    expect(toolNames(requests[0]!).sort()).toEqual(["ls", "read_file"]);
  });

  it("DF-X20 fail the task before an agent is made when the storage throws", async () => {
    const made: unknown[] = [];
    const note = (spec: unknown) => void made.push(spec);
    channel(AGENT_CREATED).subscribe(note);
    const storage = { disabled: [], load: () => Promise.reject(new Error("disk gone")) };

    const { outcome, requests } = await execute(inOrder(says("Done")), { storage });

    channel(AGENT_CREATED).unsubscribe(note);
    expect(outcome).toMatchObject({ status: "failed", stop_reason: "agent_error", error: "disk gone", steps: 0 });
    expect([made, requests]).toEqual([[], []]);
  });

  it("DF-X20 fail the task with file and field of a skill that is not valid", async () => {
    const files = { "shared/free/SKILL.md": "---\nname: free\n---\n" };

    const { outcome, requests } = await execute(inOrder(says("Done")), { files });

    expect(outcome).toMatchObject({ status: "failed", result: null });
    expect(outcome.error).toMatch(/shared\/free\/SKILL\.md: field description/);
    expect(requests).toEqual([]);
  });
});

describe("the files of skills", () => {
  it("are read and run where the skill is the task's; a disabled one is refused by name", async () => {
    const paths = ["/mnt/skills/off/SKILL.md", "/mnt/skills/beta/SKILL.md", "/mnt/skills/secret/SKILL.md"];
    const turns = [
      calls(...paths.map(read), bash("ls /mnt/skills; sh /mnt/skills/free/run.sh; cat /mnt/skills/off/SKILL.md")),
      says("Done"),
    ];

    const { requests } = await execute(inOrder(...turns), { skills: ["free", "off"] });

    const [off, beta, secret, output] = answersTo(requests[1]).map(String);
    expect(off).toMatch(/^Error: Skill 'off' is disabled\. /);
    expect(beta).toMatch(/^Error: Path \/mnt\/skills\/beta\/SKILL\.md does not exist/);
    expect(secret).toMatch(/^Error: Path .* does not exist/);
    expect(output).toMatch(/^free\nran free\n/);
    expect(output).toMatch(/off\/SKILL\.md.*No such file/);
    expect(output).not.toMatch(/Steps of off/);
  });
});

describe("the allowed-tools of skills", () => {
  it.each([
    [["alpha"], ["ls", "read_file"]],
    [
      ["alpha", "beta", "free"],
      ["bash", "ls", "read_file"],
    ],
    [["free"], ["bash", "ls", "read_file", "write_file", "str_replace", "glob", "grep"]],
    [[], ["bash", "ls", "read_file", "write_file", "str_replace", "glob", "grep"]],
  ])("DF-X21 at_start: of %j leave %j, and no other tool runs", async (skills, tools) => {
    const { requests, events } = await execute(inOrder(calls(bash("echo it ran")), says("Done")), { skills });

    expect(requests.map(toolNames)).toEqual([tools, tools]);
    const isRefused = !tools.includes("bash");
    expect(answersTo(requests[1])[0]).toMatch(isRefused ? /^Error: Tool 'bash' is not available/ : /it ran/);
    expect(events.filter(({ type }) => type === "tool.refused")).toHaveLength(isRefused ? 1 : 0);
  });

  it("at_start: never add a tool", async () => {
    const { requests } = await execute(inOrder(says("Done")), { skills: ["beta"], task: { tools: ["ls"] } });

    expect(requests.flatMap(toolNames)).toEqual([]);
  });

  it("DF-X21 on_activation: narrow once a SKILL.md was read, in requests and where tools run", async () => {
    const turns = [
      calls(bash("echo first")),
      calls(read("/mnt/skills/alpha/SKILL.md")),
      calls(bash("echo second"), { name: "ls", args: { description: "l", path: "/mnt/skills" }, id: "l1" }),
      calls(read("/mnt/skills//beta/./SKILL.md")),
      calls(bash("echo third")),
      says("Done"),
    ];
    const { requests, events } = await execute(inOrder(...turns), { rules: { tool_policy: "on_activation" } });

    const all = ["bash", "ls", "read_file", "write_file", "str_replace", "glob", "grep"];
    const narrowed = ["ls", "read_file"];
    const both = ["bash", "ls", "read_file"];
    expect(requests.map(toolNames)).toEqual([all, all, narrowed, narrowed, both, both]);
    const answers = answersTo(requests.at(-1)).map(String);
    expect(answers[0]).toMatch(/^first/);
    expect(answers[2]).toMatch(/^Error: Tool 'bash' is not among the allowed-tools of the skills .*: alpha\./);
    expect(answers[3]).toMatch(/\/mnt\/skills\/alpha/);
    expect(answers[5]).toMatch(/^third/);
    const refused = events.filter(({ type }) => type === "tool.refused");
    expect(refused.map(({ data }) => data)).toEqual([
      {
        tool_name: "bash",
        tool_call_id: "bash:echo second",
        reason: "not_permitted",
        caller: "subagent:general-purpose",
      },
    ]);
  });

  it.each([
    ["a part of the skill that is no SKILL.md", read("/mnt/skills/free/run.sh")],
    ["a file that could not be read", read("/mnt/skills/alpha/none.md")],
    ["a skill without allowed-tools", read("/mnt/skills/free/SKILL.md")],
    ["a look by a command", bash("cat /mnt/skills/alpha/SKILL.md")],
  ])("on_activation: are not brought about by %s", async (_what, call) => {
    const { requests } = await execute(inOrder(calls(call), says("Done")), { rules: { tool_policy: "on_activation" } });

    expect(toolNames(requests[1]!)).toEqual(toolNames(requests[0]!));
  });
});
