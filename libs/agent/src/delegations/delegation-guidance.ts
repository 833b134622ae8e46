import type { DelegationEntry } from "./delegation-entry.ts";

/** What the lead should make of an entry. */
export function delegationGuidance({ status, stop_reason: stop, verdict }: DelegationEntry): string {
  if (status === "in_progress") return "do NOT delegate again; wait for it or build on it";
  if (status !== "completed") return stop === undefined ? "may retry with a changed plan" : CAPPED_WITHOUT_RESULT;
  if (verdict !== undefined && verdict !== "accepted" && verdict !== "not_requested")
    return `its result was ${verdict === "rejected" ? "rejected" : "not accepted"}; do not rely on it, may retry with a changed plan`;
  return stop === undefined ? "do NOT delegate again; reuse this result" : CAPPED_WITH_RESULT;
}

const CAPPED_WITHOUT_RESULT = "ended by a guardrail cap without a usable result; may retry with a smaller scope";
const CAPPED_WITH_RESULT =
  "ended by a guardrail cap: the result is partial; reuse it, and delegate only what is missing with a tighter scope";
