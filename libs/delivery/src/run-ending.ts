import type { ErrorCode, RunTerminalStatus } from "@antler/contracts";
import type { Duty, Settlement } from "@antler/store";

import { isCancelEnding } from "./disposition.ts";
import type { Ending } from "./work-kind.ts";

/** Everything that a terminal run owes. */
export const OWED: readonly Duty[] = ["sweep", "end_event", "signal", "prune"];

const STATUS_OF_ENDING: Partial<Record<Ending["reason"], RunTerminalStatus>> = {
  queue_timeout: "timeout",
  execution_timeout: "timeout",
  deadline: "timeout",
  cancelled: "interrupted",
  rolled_back: "error",
};

const CODE_OF_ENDING: Partial<Record<Ending["reason"], ErrorCode>> = {
  queue_timeout: "deadline_exceeded",
  execution_timeout: "deadline_exceeded",
  deadline: "deadline_exceeded",
  model_error: "model_failed",
  envelope_refused: "envelope_refused",
  stale_resume: "nothing_to_resume",
  document_too_large: "document_too_large",
  cancelled: "cancelled",
  rolled_back: "cancelled",
};

/** The terminal update of a run that delivery ends. A run that was marked as cancelled ends in no other way. */
export function endingOf(ending: Ending): Settlement {
  const { reason } = ending;
  const code = CODE_OF_ENDING[reason] ?? "internal";
  const message = reason === "rolled_back" ? "Rolled back by user" : ending.message;
  const rolledBack = reason === "rolled_back" && { head: null };
  const fields = { stop_reason: reason, error: { code, message }, output: null, ...rolledBack };
  const unlessCancelled = !isCancelEnding(ending);
  return { status: STATUS_OF_ENDING[reason] ?? "error", fields, owed: OWED, unlessCancelled };
}
