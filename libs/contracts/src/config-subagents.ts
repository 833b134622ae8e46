import { z } from "zod";

import { SubagentTokenBudget, TokenBudgetOverride } from "./config-guards.ts";
import { Name } from "./ids.ts";

const Seconds = z.int().min(1);
const Turns = z.int().min(1).max(10_000);
const Names = z.array(z.string().min(1)).nullable();

const SubagentOverride = z.strictObject({
  timeout_seconds: Seconds.optional().describe("Longest execution of this type"),
  max_turns: Turns.optional().describe("Most model calls of this type"),
  model: z.string().min(1).nullable().optional().describe("Name of a configured model; null inherits the lead's"),
  skills: Names.optional().describe("Skills of this type; null means all that the lead has, an empty list none"),
  token_budget: TokenBudgetOverride.optional().describe("Tokens of this type, over the budget of all"),
  system_prompt: z
    .never({ error: "cannot be overridden; define a type of your own under subagents.custom_agents" })
    .optional()
    .describe("Not allowed here: a prompt stands under subagents.custom_agents"),
});

const ALWAYS_DENIED = ["task", "ask_clarification", "present_files"];

const CustomSubagent = z.strictObject({
  description: z.string().min(1).describe("When the lead should delegate to this type"),
  system_prompt: z.string().min(1).describe("What the subagent is told about its work"),
  tools: Names.default(null).describe("Tools this type may have; null means all that the lead has"),
  disallowed_tools: Names.default(ALWAYS_DENIED).describe("Tools this type never has; deny beats allow"),
  model: z.string().min(1).default("inherit").describe("Name of a configured model, or inherit"),
  skills: Names.default(null).describe("Skills of this type; null means all that the lead has, an empty list none"),
  max_turns: Turns.default(50).describe("Most model calls"),
  timeout_seconds: Seconds.default(900).describe("Longest execution"),
  token_budget: TokenBudgetOverride.optional().describe("Tokens of this type, over the budget of all"),
  pool: Name.default("general").describe("Pool whose runners execute this type"),
});

/** Subagent types and the limits of delegation. */
export const SubagentsConfig = z
  .strictObject({
    timeout_seconds: Seconds.default(1800).describe("Longest execution of a built-in type"),
    max_turns: Turns.nullable().default(null).describe("Most model calls of a built-in type; null keeps 150 and 60"),
    max_concurrent: z.int().min(1).max(64).default(3).describe("Most task calls that one model response may make"),
    max_total_per_run: z.int().min(1).max(50).default(6).describe("Most tasks of one run"),
    token_budget: SubagentTokenBudget.describe("Tokens that a subagent may use in one execution"),
    poll_interval_seconds: z
      .number()
      .min(0.1)
      .max(60)
      .default(5)
      .describe("How often a waiting lead re-reads the ledger"),
    agents: z.record(z.string(), SubagentOverride).default({}).describe("Overrides by type"),
    custom_agents: z.record(Name, CustomSubagent).default({}).describe("Types of your own"),
  })
  .prefault({});
export type SubagentsConfig = z.infer<typeof SubagentsConfig>;
