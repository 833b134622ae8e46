import { type AntlerError, isAntlerError, messageOf } from "@antler/contracts";
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

/** Decides by the reason why the work was stopped, or else by what it threw. */
export function dispositionOf(thrown: unknown, stopped: AbortSignal): Disposition {
  const error: unknown = stopped.aborted ? stopped.reason : thrown;
  if (!isAntlerError(error)) return end("agent_error", messageOf(error));
  switch (error.code) {
    case "lease_lost":
      return { kind: "abandon" };
    case "drained":
      return { kind: "release", delayMs: 0 };
    case "store_unavailable":
    case "bus_unavailable":
      return { kind: "release", delayMs: FAULT_DELAY_MS * (0.5 + Math.random()) };
    case "cancelled":
      return end(
        cancelReason(error),
        error.details["action"] === "parent_ended" ? "The run has ended" : "Cancelled by user",
      );
    case "deadline_exceeded":
      return end("execution_timeout", error.message);
    case "model_failed":
    case "model_unavailable":
    case "model_unknown":
      return end("model_error", error.message);
    case "envelope_refused":
    case "document_too_large":
      return end(error.code, error.message);
    default:
      return end("agent_error", error.message);
  }
}

function cancelReason(error: AntlerError): "cancelled" | "rolled_back" | "parent_ended" {
  return stopReasonOf(error.details["action"] as CancelMark["action"] | undefined);
}

/** The stop reason that a cancel mark leads to. */
export function stopReasonOf(action: CancelMark["action"] | undefined): "cancelled" | "rolled_back" | "parent_ended" {
  if (action === "parent_ended") return "parent_ended";
  return action === "rollback" ? "rolled_back" : "cancelled";
}

function end(reason: Ending["reason"], message: string): Disposition {
  return { kind: "end", ending: { reason, message } };
}
