import { z } from "zod";

/** Why a run or task ended; every terminal row has one. Additive to the status, never in its place. */
export const StopReason = z.enum([
  "completed",
  "input_required",
  "cancelled",
  "rolled_back",
  "parent_ended",
  "turn_capped",
  "token_capped",
  "loop_capped",
  "safety_capped",
  "model_length_capped",
  "subagent_limit_capped",
  "queue_timeout",
  "execution_timeout",
  "deadline",
  "lost_worker",
  "dead_lettered",
  "stale_resume",
  "model_error",
  "agent_error",
  "envelope_refused",
  "document_too_large",
  "acceptance_failed",
]);
export type StopReason = z.infer<typeof StopReason>;

/** Stop reasons of a subagent whose guard ended it early, with the words that its result carries. */
export const CAP_LABELS = {
  token_capped: "token budget",
  turn_capped: "turn budget",
  loop_capped: "repeated tool-call loop",
} as const satisfies Partial<Record<StopReason, string>>;

export type CapReason = keyof typeof CAP_LABELS;

export function isCapReason(value: unknown): value is CapReason {
  return typeof value === "string" && value in CAP_LABELS;
}
