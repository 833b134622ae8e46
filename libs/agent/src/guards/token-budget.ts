import type { Config, TokenBudgetConfig, TokenBudgetOverride } from "@antler/contracts";

const MAX_WITH_SUMMARIZATION = 1_000_000;
const MAX_WITHOUT_SUMMARIZATION = 2_000_000;

/** The tokens that one execution may use. */
export interface TokenBudget {
  readonly max_tokens: number;
  /** Tokens from which on the model is warned. */
  readonly warn_tokens: number;
}

/** The budget that is held; null holds none. A number that was given never follows the summarisation switch. */
export function tokenBudgetOf(
  { summarization }: Pick<Config, "summarization">,
  budget: TokenBudgetConfig,
  override: TokenBudgetOverride = {},
): TokenBudget | null {
  const enabled = override.enabled ?? budget.enabled;
  if (!enabled) return null;
  const byDefault = summarization.enabled ? MAX_WITH_SUMMARIZATION : MAX_WITHOUT_SUMMARIZATION;
  const max = override.max_tokens ?? budget.max_tokens ?? byDefault;
  return { max_tokens: max, warn_tokens: Math.floor(max * (override.warn_ratio ?? budget.warn_ratio)) };
}
