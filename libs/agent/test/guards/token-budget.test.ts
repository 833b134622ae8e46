import { describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";

import { tokenBudgetOf } from "../../src/guards/token-budget.ts";
import { resolveSubagent } from "../../src/index.ts";

const budgetOf = (document: object, name = "general-purpose") => {
  const config = parseConfig(document, {});
  return tokenBudgetOf(config, config.subagents.token_budget, resolveSubagent(config.subagents, name)?.tokenBudget);
};

describe("the token budget of a subagent", () => {
  it.each([
    { summarization: { enabled: true }, max_tokens: 1_000_000 },
    { summarization: { enabled: false }, max_tokens: 2_000_000 },
  ])("DF-C16 is $max_tokens with $summarization, warned of at 0.7", ({ summarization, max_tokens }) => {
    expect(budgetOf({ summarization })).toEqual({ max_tokens, warn_tokens: max_tokens * 0.7 });
  });

  it("does not follow the switch once a number was given", () => {
    const subagents = { token_budget: { max_tokens: 2_000_000 } };

    expect(budgetOf({ subagents, summarization: { enabled: true } })?.max_tokens).toBe(2_000_000);
  });

  it.each([
    {
      id: "DF-C18",
      of: "its type before that of all",
      agents: { bash: { token_budget: { max_tokens: 10 } } },
      max: 10,
      name: "bash",
    },
    {
      id: "DF-C18",
      of: "all for another type",
      agents: { bash: { token_budget: { max_tokens: 10 } } },
      max: 99,
      name: "general-purpose",
    },
  ])("$id is that of $of", ({ agents, max, name }) => {
    expect(budgetOf({ subagents: { token_budget: { max_tokens: 99 }, agents } }, name)?.max_tokens).toBe(max);
  });

  it("is that of a type of one's own, under an override for it", () => {
    const own = { description: "d", system_prompt: "p", token_budget: { max_tokens: 7, warn_ratio: 0.5 } };

    expect(budgetOf({ subagents: { custom_agents: { own } } }, "own")).toEqual({ max_tokens: 7, warn_tokens: 3 });
    expect(
      budgetOf({ subagents: { custom_agents: { own }, agents: { own: { token_budget: { max_tokens: 20 } } } } }, "own"),
    ).toEqual({ max_tokens: 20, warn_tokens: 10 });
  });

  it("is none when it is switched off", () => {
    expect(budgetOf({ subagents: { token_budget: { enabled: false } } })).toBeNull();
  });
});

it("a lead has none unless it is given one", () => {
  const off = parseConfig({}, {});
  const on = parseConfig({ runs: { token_budget: { enabled: true, max_tokens: 5 } } }, {});

  expect(tokenBudgetOf(off, off.runs.token_budget)).toBeNull();
  expect(tokenBudgetOf(on, on.runs.token_budget)).toEqual({ max_tokens: 5, warn_tokens: 3 });
});
