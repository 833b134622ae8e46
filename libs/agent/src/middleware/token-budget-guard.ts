import { type AgentMiddleware, createMiddleware } from "langchain";

import type { GuardReason } from "../guards/guard-reason.ts";
import type { TokenBudget } from "../guards/token-budget.ts";
import { stopAnswer } from "../messages/stop-answer.ts";
import type { PendingNotices } from "./pending-notices.ts";

export interface TokenBudgetOptions {
  readonly budget: TokenBudget;
  /** Tokens that the execution has used by now. */
  readonly spent: () => number;
  readonly notices: PendingNotices;
  readonly reason: GuardReason;
}

/** Warns an agent whose tokens run out, and makes it answer with what it has when they are used up. */
export function createTokenBudgetGuard({ budget, spent, notices, reason }: TokenBudgetOptions): AgentMiddleware {
  let isWarned = false;
  return createMiddleware({
    name: "TokenBudgetGuard",
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      const tokens = spent();
      if (tokens >= budget.max_tokens && (message.tool_calls ?? []).length > 0) {
        reason.note("token_capped");
        return stopAnswer(message, `[TOKEN BUDGET EXCEEDED] ${tokens} of ${budget.max_tokens} tokens were used.`);
      }
      if (tokens >= budget.warn_tokens && !isWarned) notices.add("budget_warning", warning(tokens, budget.max_tokens));
      isWarned ||= tokens >= budget.warn_tokens;
      return message;
    },
  });
}

function warning(tokens: number, max: number): string {
  return `[TOKEN BUDGET WARNING] You used ${tokens} of ${max} tokens. Come to your answer soon.`;
}
