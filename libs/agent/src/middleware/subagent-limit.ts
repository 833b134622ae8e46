import { AIMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { limitTaskCalls, taskCallIds, type TrimmedCalls } from "../subagents/limit-task-calls.ts";

export interface SubagentLimitOptions {
  /** Most task calls of one answer. */
  readonly maxConcurrent: number;
  /** Most tasks of the run. */
  readonly maxTotal: number;
  /** Call ids that the run has spent already; an id counts once. */
  readonly spent: Iterable<string>;
  readonly onTrim?: (trimmed: TrimmedCalls) => void;
}

/** Decides, after the model and before the tools, how many task calls of an answer may proceed. */
export function createSubagentLimit({ maxConcurrent, maxTotal, spent, onTrim }: SubagentLimitOptions): AgentMiddleware {
  const calls = new Set(spent);
  return createMiddleware({
    name: "SubagentLimit",
    afterModel: (state) => {
      const last = state.messages.at(-1);
      if (!AIMessage.isInstance(last)) return;
      const own = new Set(taskCallIds(last));
      const prior = [...calls].filter((id) => !own.has(id)).length;
      const trimmed = limitTaskCalls(last, { maxConcurrent, remaining: Math.max(0, maxTotal - prior) });
      for (const id of taskCallIds(trimmed?.message ?? last)) calls.add(id);
      if (trimmed === null) return;
      onTrim?.(trimmed);
      return { messages: [trimmed.message] };
    },
  });
}
