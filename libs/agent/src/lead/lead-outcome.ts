import { type BaseMessage } from "@langchain/core/messages";
import { EmptyInputError } from "@langchain/langgraph";

import { type Interrupt, messageOf, type StopReason, type StoredError, storedErrorOf } from "@antler/contracts";

import { stopReasonOf } from "../error-stop-reason.ts";
import { antlerErrorIn } from "../execution-fault.ts";
import { textOf } from "../messages/message-text.ts";
import type { LeadOutcome } from "../ports.ts";

/** A run that came to its end. What it produced stands in its checkpoint; the output is the last word alone. */
export function endedRun(messages: readonly BaseMessage[], stopReason: StopReason): LeadOutcome {
  const last = messages.at(-1);
  const output = { last_message: last === undefined ? null : textOf(last) };
  return { status: "success", stop_reason: stopReason, error: null, output };
}

/** A run that waits for a human, with what it asks. */
export function interruptedRun(interrupts: readonly Interrupt[]): LeadOutcome {
  const output = { interrupts: [...interrupts] };
  return { status: "interrupted", stop_reason: "input_required", error: null, output };
}

/** A lead that was refused a further model call; the message names the limit that struck. */
export function cappedRun(maxModelCalls: number, requested: Readonly<Record<string, unknown>>): LeadOutcome {
  const limit = requested["recursion_limit"] === maxModelCalls ? "config.recursion_limit" : "runs.max_model_calls";
  const message = `The lead reached its limit of ${maxModelCalls} model calls; raise ${limit}`;
  return { ...failure({ code: "deadline_exceeded", message }), stop_reason: "turn_capped" };
}

const NOTHING_TO_DO =
  "Field input is empty, and the thread has no state to go on from: send the user's message as input.messages";

/** A run that failed by itself. */
export function failedRun(error: unknown): LeadOutcome {
  if (error instanceof EmptyInputError) return failure({ code: "invalid_request", message: NOTHING_TO_DO });
  const known = antlerErrorIn(error);
  if (known === undefined) return failure({ code: "internal", message: messageOf(error) });
  return { ...failure(storedErrorOf(known)), stop_reason: stopReasonOf(known) };
}

function failure(error: StoredError): LeadOutcome {
  return { status: "error", stop_reason: "agent_error", error, output: null };
}
