import { z } from "zod";

const Ratio = z.number().gt(0).lt(1);

/** Part of a token budget; what is absent comes from the budget above it. */
export const TokenBudgetOverride = z.strictObject({
  enabled: z.boolean().optional().describe("Whether the budget is held"),
  max_tokens: z.int().min(1).nullable().optional().describe("Most tokens; null follows the summarisation switch"),
  warn_ratio: Ratio.optional().describe("Part of the budget at which the model is warned"),
});
export type TokenBudgetOverride = z.infer<typeof TokenBudgetOverride>;

const tokenBudget = (enabled: boolean) =>
  z
    .strictObject({
      enabled: z.boolean().default(enabled).describe("Whether the budget is held"),
      max_tokens: z
        .int()
        .min(1)
        .nullable()
        .default(null)
        .describe("Most tokens of one execution; null is 1,000,000 with summarisation and 2,000,000 without"),
      warn_ratio: Ratio.default(0.7).describe("Part of the budget at which the model is warned"),
    })
    .prefault({});

/** The tokens that an agent may use: a subagent's budget is held unless it is switched off, a lead's is not. */
export const SubagentTokenBudget = tokenBudget(true);
export const LeadTokenBudget = tokenBudget(false);
export type TokenBudgetConfig = z.infer<typeof SubagentTokenBudget>;

export const LoopDetectionConfig = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether agents that repeat themselves are warned and stopped"),
    warn_after: z.int().min(2).default(3).describe("Equal sets of tool calls after which the model is warned"),
    stop_after: z.int().min(2).default(5).describe("Equal sets of tool calls after which the agent has to answer"),
    window: z.int().min(2).default(20).describe("Latest sets of tool calls that are compared"),
    tool_warn_after: z.int().min(2).default(30).describe("Calls of one tool after which the model is warned"),
    tool_stop_after: z.int().min(2).default(50).describe("Calls of one tool after which the agent has to answer"),
  })
  .refine(({ warn_after: warn, stop_after: stop }) => warn < stop, {
    path: ["stop_after"],
    error: "must be greater than warn_after",
  })
  .refine(({ tool_warn_after: warn, tool_stop_after: stop }) => warn < stop, {
    path: ["tool_stop_after"],
    error: "must be greater than tool_warn_after",
  })
  .refine(({ stop_after: stop, window }) => stop <= window, { path: ["window"], error: "must be at least stop_after" })
  .prefault({});
export type LoopDetectionConfig = z.infer<typeof LoopDetectionConfig>;

export const SummarizationConfig = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Replace the older part of a long conversation by a summary"),
    model: z.string().min(1).nullable().default(null).describe("Configured model that summarises; null is the agent's"),
    trigger_messages: z.int().min(2).nullable().default(50).describe("Messages from which on it is done"),
    trigger_tokens: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe("Tokens, roughly counted, from which on it is done"),
    keep_messages: z.int().min(1).default(20).describe("Latest messages that stay as they are"),
    trim_tokens: z.int().min(1).default(4000).describe("Most tokens of the older part that the summary is made from"),
  })
  .prefault({});
export type SummarizationConfig = z.infer<typeof SummarizationConfig>;
