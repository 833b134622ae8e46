import { describe, expect, it } from "vitest";

import { resolveSubagent, subagentNames } from "../../src/index.ts";
import { BUILT_IN_SUBAGENTS } from "../../src/subagents/built-in-subagents.ts";
import { aConfig } from "../support/executions.ts";

const subagents = (over: object = {}) => aConfig("http://127.0.0.1:1/v1", { subagents: over }).subagents;
const resolve = (name: string, over: object = {}) => resolveSubagent(subagents(over), name);

const analyst = { description: "Numbers", system_prompt: "You count.", tools: ["ls"], skills: ["sums"], model: "big" };

describe("resolveSubagent", () => {
  it("DF-C6 has two built-in types with their own limits", () => {
    expect(resolve("general-purpose")).toMatchObject({
      maxTurns: 150,
      timeoutSeconds: 1800,
      pool: "general",
      tools: null,
    });
    expect(resolve("bash")).toMatchObject({
      ...{ maxTurns: 60, timeoutSeconds: 1800, pool: "bash" },
      tools: ["bash", "ls", "read_file", "write_file", "str_replace"],
    });
  });

  it("DF-C3 lets the global limits go over the built-in types' own", () => {
    expect(resolve("bash", { timeout_seconds: 1200, max_turns: 9 })).toMatchObject({
      timeoutSeconds: 1200,
      maxTurns: 9,
    });
  });

  it("DF-C4 lets a type's override go over the global limits, for that type alone", () => {
    const over = { max_turns: 9, agents: { bash: { timeout_seconds: 700, max_turns: 5 } } };

    expect(resolve("bash", over)).toMatchObject({ timeoutSeconds: 700, maxTurns: 5 });
    expect(resolve("general-purpose", over)).toMatchObject({ timeoutSeconds: 1800, maxTurns: 9 });
  });

  it("DF-C7 changes the model and nothing else, and never the built-in type itself", () => {
    const before = structuredClone(BUILT_IN_SUBAGENTS);
    const type = resolve("general-purpose", { agents: { "general-purpose": { model: "big" } } });

    expect(type).toEqual({ ...before[0], timeoutSeconds: 1800, model: "big" });
    expect(BUILT_IN_SUBAGENTS).toEqual(before);
  });

  it("DF-C8 inherits the model where the override is null", () => {
    expect(resolve("bash", { agents: { bash: { model: null } } })).toMatchObject({ model: null });
  });

  it("DF-C9 finds a type of the configuration with its own values", () => {
    expect(resolve("analyst", { custom_agents: { analyst } })).toMatchObject({
      ...{ name: "analyst", systemPrompt: "You count.", tools: ["ls"], skills: ["sums"], model: "big" },
      ...{
        maxTurns: 50,
        timeoutSeconds: 900,
        pool: "general",
        deniedTools: ["task", "ask_clarification", "present_files"],
      },
    });
  });

  it("DF-C11 keeps a custom type's own limits whatever the global ones are", () => {
    expect(resolve("analyst", { timeout_seconds: 5000, max_turns: 3, custom_agents: { analyst } })).toMatchObject({
      timeoutSeconds: 900,
      maxTurns: 50,
    });
  });

  it.each(["nope", "", "constructor", "__proto__"])("DF-C13 knows no type %j", (name) => {
    expect(resolve(name)).toBeNull();
  });

  it("DF-C14 tells an empty list of skills from none", () => {
    expect(resolve("bash", { agents: { bash: { skills: [] } } })?.skills).toEqual([]);
  });

  it("prefers a built-in type to a custom one of its name", () => {
    expect(resolve("bash", { custom_agents: { bash: analyst } })?.systemPrompt).not.toBe("You count.");
  });
});

describe("subagentNames", () => {
  it("lists built-in and custom types, each once", () => {
    const config = subagents({ custom_agents: { analyst, bash: analyst } });

    expect(subagentNames(config, { canRunCommands: true })).toEqual(["general-purpose", "bash", "analyst"]);
  });

  it("DF-U12 hides bash where no command can run", () => {
    expect(subagentNames(subagents(), { canRunCommands: false })).toEqual(["general-purpose"]);
  });
});

describe("built-in prompts", () => {
  it("DF-U14 say that task is not there and where files are", () => {
    for (const { systemPrompt } of BUILT_IN_SUBAGENTS) {
      expect(systemPrompt).toMatch(/the task tool is not available/);
      expect(systemPrompt).toMatch(/relative paths start here/);
    }
  });
});
