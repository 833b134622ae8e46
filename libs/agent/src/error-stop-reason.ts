import { type AntlerError, isAntlerError, type StopReason } from "@antler/contracts";

/** Why an execution that threw this error ended. */
export function stopReasonOf(error: AntlerError): StopReason {
  if (isAntlerError(error, "model_failed", "model_unavailable", "model_unknown")) return "model_error";
  if (isAntlerError(error, "envelope_refused")) return "envelope_refused";
  return isAntlerError(error, "document_too_large") ? "document_too_large" : "agent_error";
}
