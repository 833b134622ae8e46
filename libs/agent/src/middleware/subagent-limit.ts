import { AIMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import type { DroppedCalls } from "../delegations/dropped-calls.ts";
import { extractDelegations } from "../delegations/extract-delegations.ts";
import { limitTaskCalls } from "../delegations/limit-task-calls.ts";
import { taskCallIds } from "../delegations/task-calls.ts";
import { DelegationsState } from "../thread-state.ts";

export interface SubagentLimitOptions {
  /** Most task calls of one answer. */
  readonly maxConcurrent: number;
  /** Most tasks of the run. */
  readonly maxTotal: number;
  /** Call ids that the run has spent already; an id counts once. */
  readonly spent: Iterable<string>;
  readonly onTrim: (dropped: DroppedCalls) => void;
  readonly runId: string;
}

/**
 * Decides, after the model and before the tools, how many task calls of an answer may proceed, and notes in the state
 * what was delegated.
 */
export function createSubagentLimit(options: SubagentLimitOptions): AgentMiddleware {
  const { maxConcurrent, maxTotal, spent, onTrim, runId } = options;
  const calls = new Set(spent);
  return createMiddleware({
    name: "SubagentLimit",
    stateSchema: DelegationsState,
    afterModel: (state) => {
      const last = state.messages.at(-1);
      if (!AIMessage.isInstance(last)) return;
      const own = new Set(taskCallIds(last));
      const prior = [...calls].filter((id) => !own.has(id)).length;
      const trimmed = limitTaskCalls(last, { maxConcurrent, remaining: Math.max(0, maxTotal - prior) });
      for (const id of taskCallIds(trimmed?.message ?? last)) calls.add(id);
      if (trimmed !== null) onTrim(trimmed.dropped);
      const messages = trimmed === null ? [] : [trimmed.message];
      const delegations = extractDelegations([...state.messages.slice(0, -1), trimmed?.message ?? last], {
        runId,
        now: new Date().toISOString(),
      });
      if (messages.length + delegations.length === 0) return;
      return { messages, delegations };
    },
  });
}
