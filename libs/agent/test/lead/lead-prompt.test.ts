import { describe, expect, it } from "vitest";

import { leadPrompt } from "../../src/lead/lead-prompt.ts";
import type { LeadScope } from "../../src/lead/lead-scope.ts";
import { aConfig } from "../support/executions.ts";

const limits = { maxConcurrent: 3, maxTotal: 6 };

function promptOf(over: Partial<LeadScope> = {}, of = limits): string {
  const custom = { analyst: { description: "Knows numbers", system_prompt: "p" } };
  const config = aConfig("http://127.0.0.1:1/v1", { subagents: { custom_agents: custom } });
  const scope = { config, capabilities: { canRunCommands: true }, canDelegate: true, tools: ["bash"], ...over };
  return leadPrompt(scope as LeadScope, of);
}

describe("leadPrompt", () => {
  it("names the limits and every type", () => {
    const prompt = promptOf();

    expect(prompt).toMatch(/at most 3 task calls in one response and at most 6 in this run/);
    expect(prompt).toMatch(/- analyst: Knows numbers/);
    expect(prompt).toMatch(/work in batches/);
  });

  it("DF-U13 holds no guidance on parallel work when one call at a time is allowed", () => {
    expect(promptOf({}, { maxConcurrent: 1, maxTotal: 6 })).not.toMatch(/batch|parallel parts|launch up to/);
  });

  it("DF-U12 names neither the bash type nor an example of it where no command can run", () => {
    expect(promptOf({ capabilities: { canRunCommands: false } })).not.toMatch(/bash/);
  });

  it("points to no bash tool that the lead does not have", () => {
    expect(promptOf({ tools: ["ls"] })).not.toMatch(/bash tool/);
  });

  it("says nothing of subagents to a lead that may not delegate", () => {
    expect(promptOf({ canDelegate: false })).not.toMatch(/subagent/);
  });
});
