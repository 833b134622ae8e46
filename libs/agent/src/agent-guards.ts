import type { AgentMiddleware } from "langchain";

import type { LoopDetectionConfig } from "@antler/contracts";

import { createGuardReason, type GuardReason } from "./guards/guard-reason.ts";
import type { TokenBudget } from "./guards/token-budget.ts";
import { createCutAnswerGuard } from "./middleware/cut-answer-guard.ts";
import { createLoopDetection } from "./middleware/loop-detection.ts";
import { createPendingNotices } from "./middleware/pending-notices.ts";
import { createTokenBudgetGuard } from "./middleware/token-budget-guard.ts";
import type { UsageRecorder } from "./middleware/usage-recorder.ts";

export interface AgentGuardOptions {
  readonly loopDetection: LoopDetectionConfig;
  /** Null holds no budget. */
  readonly tokenBudget: TokenBudget | null;
  readonly usage: Pick<UsageRecorder, "total">;
}

/** What ends an execution early, of lead and subagent alike. */
export interface AgentGuards {
  /** Outermost first; around everything that surrounds a model call. */
  readonly middleware: readonly AgentMiddleware[];
  readonly reason: GuardReason;
}

export function createAgentGuards({ loopDetection, tokenBudget, usage }: AgentGuardOptions): AgentGuards {
  const reason = createGuardReason();
  const notices = createPendingNotices();
  const spent = () => usage.total()?.total_tokens ?? 0;
  return {
    reason,
    middleware: [
      // Outside of the cut-answer guard: calls of a cut answer are not run, and so are not repeated.
      ...(loopDetection.enabled ? [createLoopDetection({ limits: loopDetection, notices, reason })] : []),
      // Outside of the usage recorder, which has counted the answer that it judges.
      ...(tokenBudget === null ? [] : [createTokenBudgetGuard({ budget: tokenBudget, spent, notices, reason })]),
      createCutAnswerGuard(reason),
      // Innermost: it puts into a request what the guards outside of it had to say of the answer before.
      notices.middleware,
    ],
  };
}
