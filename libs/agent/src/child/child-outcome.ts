import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { isAntlerError, messageOf } from "@antler/contracts";

import { stopReasonOf } from "../error-stop-reason.ts";
import { antlerErrorIn } from "../execution-fault.ts";
import type { GuardStop } from "../guards/guard-reason.ts";
import { markedFailureOf } from "../messages/failure-mark.ts";
import { lastAiText, textOf } from "../messages/message-text.ts";
import type { ChildOutcome } from "../ports.ts";

const NO_RESPONSE = "No response generated";

/** How an execution ended, without what it cost. */
export type ChildEnding = Omit<ChildOutcome, "usage" | "steps">;

const NOTHING = { result: null, partial_result: null, error: null };

/** A subagent that came to its end: its last words are the result, unless they tell that its model failed. */
export function completedTask(messages: readonly BaseMessage[], reason: GuardStop | null): ChildEnding {
  const failure = markedFailureOf(messages.at(-1));
  if (failure !== null) return modelFailure(failure, messages.slice(0, -1));
  return { ...NOTHING, status: "completed", stop_reason: reason ?? "completed", result: resultText(messages) };
}

function modelFailure(error: string, earlier: readonly BaseMessage[]): ChildEnding {
  return { ...NOTHING, status: "failed", stop_reason: "model_error", error, partial_result: lastAiText(earlier) };
}

/** The text of the last answer; if it has none, the last earlier one that has; without any answer, the last message's. */
function resultText(messages: readonly BaseMessage[]): string {
  const spoken = lastAiText(messages);
  if (spoken !== null) return spoken;
  const last = messages.at(-1);
  if (last === undefined || messages.some((message) => AIMessage.isInstance(message))) return NO_RESPONSE;
  const text = textOf(last);
  return text.trim() === "" ? NO_RESPONSE : text;
}

/** A subagent that was refused a further model call: what it said so far is its result. A guard's reason comes first. */
export function cappedTask(spoken: string | null, maxTurns: number, guard: GuardStop | null): ChildEnding {
  const reason = { stop_reason: guard ?? "turn_capped" } as const;
  if (spoken !== null) return { ...NOTHING, ...reason, status: "completed", result: spoken };
  return { ...NOTHING, ...reason, status: "failed", error: `Reached max_turns=${maxTurns}` };
}

/** What is left of unfinished work: the last words and the files that were written; null when there is neither. */
export function partialWork(spoken: string | null, files: readonly string[]): string | null {
  const list = files.length === 0 ? [] : [["Files written:", ...files.map((path) => `- ${path}`)].join("\n")];
  const parts = [...(spoken === null ? [] : [spoken]), ...list];
  return parts.length === 0 ? null : parts.join("\n\n");
}

/** A subagent that ran out of time: what is left of its work is kept. */
export function timedOutTask(partial: string | null, limitMs: number): ChildEnding {
  const error = `Execution timed out after ${Math.round(limitMs / 1000)} seconds`;
  return { ...NOTHING, status: "timed_out", stop_reason: "execution_timeout", error, partial_result: partial };
}

/** A subagent that failed by itself. */
export function failedTask(error: unknown, spoken: string | null): ChildEnding {
  const known = antlerErrorIn(error);
  return {
    ...NOTHING,
    status: "failed",
    stop_reason: known === undefined ? "agent_error" : stopReasonOf(known),
    error: messageOf(known ?? error),
    partial_result: isAntlerError(known, "envelope_refused") ? null : spoken,
  };
}
