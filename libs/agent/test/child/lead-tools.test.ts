import { expect, it } from "vitest";

import { resolveSubagent } from "../../src/subagents/resolve-subagent.ts";
import { subagentTools } from "../../src/subagents/subagent-tools.ts";
import { aConfig } from "../support/executions.ts";

it("a subagent never has the tools that speak with the user, also when its type asks for them", () => {
  const leadTools = ["write_todos", "ask_clarification", "present_files", "task"];
  const agents = { custom_agents: { eager: { description: "d", system_prompt: "s", tools: [...leadTools, "ls"] } } };
  const config = aConfig("http://127.0.0.1:9/v1", { subagents: agents });
  const scope = { groups: null, canRunCommands: true, canFetch: true, mcp: [] };
  const toolsOf = (name: string) => subagentTools(resolveSubagent(config.subagents, name)!, scope);

  expect(toolsOf("eager")).toEqual(["ls"]);
  expect(toolsOf("general-purpose").filter((name) => leadTools.includes(name))).toEqual([]);
  expect(toolsOf("general-purpose")).toContain("web_fetch");
});
