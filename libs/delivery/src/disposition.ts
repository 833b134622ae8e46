import { type AntlerError, type ErrorCode, isAntlerError, messageOf } from "@antler/contracts";
import type { CancelMark } from "@antler/store";

import type { Ending } from "./work-kind.ts";

/** What becomes of a row whose execution threw. */
export type Disposition =
  /** Somebody else has the row, or will have it: nothing is written. */
  | { readonly kind: "abandon" }
  | { readonly kind: "release"; readonly delayMs: number }
  | { readonly kind: "end"; readonly ending: Ending };

/** Delay of work that met an infrastructure fault, before jitter. */
const FAULT_DELAY_MS = 2000;

const faultDelay = (): Disposition => ({ kind: "release", delayMs: FAULT_DELAY_MS * (0.5 + Math.random()) });

const DISPOSITIONS: Partial<Record<ErrorCode, (error: AntlerError) => Disposition>> = {
  lease_lost: () => ({ kind: "abandon" }),
  drained: () => ({ kind: "release", delayMs: 0 }),
  store_unavailable: faultDelay,
  bus_unavailable: faultDelay,
  cancelled: (error) => ({ kind: "end", ending: cancelEnding(actionOf(error)) }),
  deadline_exceeded: end("execution_timeout"),
  model_failed: end("model_error"),
  model_unavailable: end("model_error"),
  model_unknown: end("model_error"),
  envelope_refused: end("envelope_refused"),
  nothing_to_resume: end("stale_resume"),
  document_too_large: end("document_too_large"),
};

/** Decides by the reason why the work was stopped, or else by what it threw. */
export function dispositionOf(thrown: unknown, stopped: AbortSignal): Disposition {
  const error: unknown = stopped.aborted ? stopped.reason : thrown;
  const known = isAntlerError(error) ? DISPOSITIONS[error.code]?.(error) : undefined;
  return known ?? { kind: "end", ending: { reason: "agent_error", message: messageOf(error) } };
}

function end(reason: Ending["reason"]): (error: AntlerError) => Disposition {
  return ({ message }) => ({ kind: "end", ending: { reason, message } });
}

function actionOf(error: AntlerError): CancelMark["action"] | undefined {
  return error.details["action"] as CancelMark["action"] | undefined;
}

/** The ending of a row that was cancelled, by the action of its cancel mark. */
export function cancelEnding(action: CancelMark["action"] | undefined): Ending {
  if (action === "parent_ended") return { reason: "parent_ended", message: "The run has ended" };
  return { reason: action === "rollback" ? "rolled_back" : "cancelled", message: "Cancelled by user" };
}

/** Whether a row ends so because a user wished it. */
export function isCancelEnding({ reason }: Ending): boolean {
  return reason === "cancelled" || reason === "rolled_back";
}

/** The ending of a row that is not terminal although all its limits are over. */
export const DEADLINE_ENDING: Ending = { reason: "deadline", message: "The time limit is over" };
