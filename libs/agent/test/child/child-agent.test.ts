import { channel } from "node:diagnostics_channel";

import { tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  calls,
  inOrder,
  inputText,
  says,
  startModelServer,
  systemTexts,
} from "../../../../test/harness/model-server.ts";
import { traceName } from "../../src/child/trace-name.ts";
import { AGENT_CREATED } from "../../src/create-agent.ts";
import {
  type AgentSpec,
  createAgent,
  createModels,
  createSkillStorage,
  executeTask,
  type McpPool,
} from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces } from "../support/executions.ts";
import { skillFiles, skillText } from "../support/skill-files.ts";

interface Seen {
  readonly context?: Record<string, unknown>;
  readonly tags?: readonly string[];
}

/** A server of one tool that remembers what it was called with. */
function probe() {
  const seen: Seen[] = [];
  const remember = (_input: object, config: Seen) => {
    seen.push(config);
    return "seen";
  };
  const look = tool(remember, {
    name: "far__look",
    description: "Looks",
    schema: z.object({}),
  });
  const mcp = {
    use: (_request: unknown, work: (tools: object) => unknown) =>
      work({ tools: [{ name: look.name, group: "mcp", tool: look }], down: [] }),
  } as unknown as McpPool;
  return { mcp, seen };
}

async function execute(identity: object = {}) {
  await using server = await startModelServer(inOrder(calls({ name: "far__look", args: {} }), says("Done")));
  const servers = { far: { transport: "http", url: "http://127.0.0.1:1/mcp" } };
  const config = aConfig(server.baseUrl, { tools: { mcp: { servers } } });
  await using opened = await openWorkspaces(config);
  const { mcp, seen } = probe();
  const specs: AgentSpec[] = [];
  const note = (spec: unknown) => void specs.push(spec as AgentSpec);
  const task = aTask();
  const envelope = { ...task.envelope, identity: { ...task.envelope.identity, ...identity }, tools: ["far__look"] };
  channel(AGENT_CREATED).subscribe(note);
  const outcome = await executeTask(
    { config, models: createModels(config, {}), ...opened, mcp, ...aRecorder().sinks },
    { ...task, envelope },
    aLease(),
  );
  channel(AGENT_CREATED).unsubscribe(note);
  expect(outcome).toMatchObject({ status: "completed", result: "Done" });
  return { specs, seen, envelope };
}

describe("the system message of a task", () => {
  it("DF-X16 holds prompt, skills and deferred tools in this order, and nothing else does", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    await using folder = await skillFiles({ "shared/alpha/SKILL.md": skillText("alpha") });
    const servers = { far: { transport: "http", url: "http://127.0.0.1:1/mcp" } };
    const tools = { mcp: { servers }, tool_search: { enabled: true } };
    const config = aConfig(server.baseUrl, { tools, skills: { dir: folder.dir } });
    await using opened = await openWorkspaces(config);
    const { mcp } = probe();
    const deps = { config, models: createModels(config, {}), ...opened, mcp, ...aRecorder().sinks };

    await executeTask(
      { ...deps, skills: createSkillStorage(config.skills) },
      aTask({ tools: ["far__look"] }),
      aLease(),
    );

    expect(server.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(systemTexts(server.requests[0]!)[0]).toMatch(
      /You were given one task.*<skills>.*Steps of alpha.*<available-deferred-tools>.*far__look.*<current_date>/,
    );
    expect(inputText(server.requests[0]?.messages[1]?.content)).toBe("Count the files");
  });
});

describe("the agent of a task", () => {
  it("DF-X22 is made once, without checkpointer and prompt, with the state of every agent", async () => {
    const { specs, envelope } = await execute();

    expect(specs).toMatchObject([{ checkpointer: null, systemPrompt: null }]);
    await using server = await startModelServer(inOrder(says("Done")));
    const model = await createModels(aConfig(server.baseUrl), {}).get("main");
    const agent = createAgent({ ...specs[0]!, model, middleware: [] });
    const { sandbox, thread_data } = envelope;
    const states: unknown[] = [];
    const signal = new AbortController().signal;
    const options = { threadId: "t", runId: "r", signal, modes: ["values"] as const, maxModelCalls: 1 };
    for await (const { payload } of agent.stream({ messages: [], sandbox, thread_data }, options)) states.push(payload);
    expect(states.at(-1)).toMatchObject({ sandbox, thread_data, artifacts: [], delegations: [] });
  });

  it("DF-X35 shows its tools who asks, and that it is a subagent", async () => {
    const { seen, envelope } = await execute();

    expect(seen[0]?.context).toEqual({
      ...envelope.identity,
      run_id: envelope.run_id,
      task_id: envelope.task_id,
      thread_id: envelope.thread_id,
      is_subagent: true,
    });
    expect(seen[0]?.context).toMatchObject({ user_id: "u1", user_role: "analyst", is_internal: true });
  });

  it("DF-X35 shows nulls for what nobody gave, and copies attributes", async () => {
    const nothing = { user_id: null, user_role: null, oauth_provider: null, oauth_id: null, channel_user_id: null };
    const { seen, envelope } = await execute({ ...nothing, is_internal: false });

    expect(seen[0]?.context).toMatchObject({ ...nothing, is_internal: false, authz_attributes: { team: "blue" } });
    expect(seen[0]?.context?.["authz_attributes"]).not.toBe(envelope.identity.authz_attributes);
  });

  it("DF-X36 is known in traces by its type", async () => {
    const { seen } = await execute();

    expect(seen[0]?.tags).toContain("subagent:general-purpose");
  });

  it.each([
    ["My_Agent ", "subagent:my-agent"],
    ["general-purpose", "subagent:general-purpose"],
    ["  A  b__c ", "subagent:a-b-c"],
    ["", "subagent"],
    [" _ ", "subagent"],
    ["Überprüfer", "subagent:berpr-fer"],
  ])("DF-X36 is traced as a type %j by the name %j", (type, name) => {
    expect(traceName(type)).toBe(name);
  });
});
