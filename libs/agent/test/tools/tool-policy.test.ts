import { describe, expect, it } from "vitest";

import { resolveSubagent } from "../../src/index.ts";
import { subagentTools } from "../../src/subagents/subagent-tools.ts";
import { narrowTools, toolsInScope } from "../../src/tools/tool-policy.ts";
import { aConfig } from "../support/executions.ts";

const ALL = ["bash", "ls", "read_file", "write_file", "str_replace", "glob", "grep"];

const NO_MORE = { canFetch: false, mcp: [] };

describe("toolsInScope", () => {
  it("gives all tools without groups", () => {
    expect(toolsInScope({ ...NO_MORE, groups: null, canRunCommands: true })).toEqual(ALL);
  });

  it("gives the tools of the groups", () => {
    expect(toolsInScope({ ...NO_MORE, groups: ["file:write"], canRunCommands: true })).toEqual([
      "write_file",
      "str_replace",
    ]);
    expect(toolsInScope({ ...NO_MORE, groups: [], canRunCommands: true })).toEqual([]);
  });

  it("never gives bash where no command can run", () => {
    expect(toolsInScope({ ...NO_MORE, groups: ["bash"], canRunCommands: false })).toEqual([]);
  });
});

describe("narrowTools", () => {
  it("lets deny beat allow", () => {
    expect(narrowTools(ALL, { allowed: ["bash", "ls"], denied: ["bash"] })).toEqual(["ls"]);
  });

  it("never adds a tool", () => {
    expect(narrowTools(["ls"], { allowed: ["ls", "bash", "task"], denied: [] })).toEqual(["ls"]);
  });
});

describe("subagentTools", () => {
  const agent = (over: object) => ({ description: "d", system_prompt: "p", ...over });
  const toolsOf = (over: object, scope: object = {}) => {
    const config = aConfig("http://127.0.0.1:1/v1", { subagents: { custom_agents: { mine: agent(over) } } });
    return subagentTools(resolveSubagent(config.subagents, "mine")!, {
      ...{ ...NO_MORE, groups: null, canRunCommands: true },
      ...scope,
    });
  };

  it("never holds task, even where a type asks for it and denies nothing", () => {
    expect(toolsOf({ tools: ["task", "ls"], disallowed_tools: null })).toEqual(["ls"]);
  });

  it("narrows the lead's scope by the type's lists", () => {
    expect(
      toolsOf({ tools: ["bash", "ls", "write_file"], disallowed_tools: ["ls"] }, { groups: ["file:read", "bash"] }),
    ).toEqual(["bash"]);
  });
});
