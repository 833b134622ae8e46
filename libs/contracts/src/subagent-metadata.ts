import { z } from "zod";

import { CAP_LABELS, type CapReason } from "./stop-reason.ts";

/** How a delegation ended, as the lead sees it. `polling_timed_out`: the lead gave up, the task may still go on. */
export const SubagentStatus = z.enum(["completed", "failed", "cancelled", "timed_out", "polling_timed_out"]);
export type SubagentStatus = z.infer<typeof SubagentStatus>;

/** Whether the lead may rely on a result whose acceptance was asked for. */
export const AcceptanceVerdict = z.enum(["accepted", "rejected", "inconclusive", "invalid", "not_requested"]);
export type AcceptanceVerdict = z.infer<typeof AcceptanceVerdict>;

/** Structured facts of a delegation, carried in the ToolMessage's `additional_kwargs`. */
export const SubagentMetadata = z.object({
  subagent_status: SubagentStatus,
  subagent_result_brief: z.string().optional(),
  subagent_result_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  subagent_error: z.string().optional(),
  subagent_stop_reason: z.enum(Object.keys(CAP_LABELS) as [CapReason, ...CapReason[]]).optional(),
  subagent_model_name: z.string().optional(),
  subagent_token_usage: z.record(z.string(), z.int().min(0)).optional(),
  subagent_acceptance_verdict: AcceptanceVerdict.optional(),
});
export type SubagentMetadata = z.infer<typeof SubagentMetadata>;

/** An older name of a task that used up its turns. */
const MAX_TURNS_REACHED = "max_turns_reached";

/**
 * The facts that a ToolMessage carries of a delegation; null when it carries none or a status that nobody knows. A
 * field that is not valid is left out, and no text is ever parsed.
 */
export function readSubagentMetadata(metadata: unknown): SubagentMetadata | null {
  if (typeof metadata !== "object" || metadata === null) return null;
  const given = metadata as Readonly<Record<string, unknown>>;
  const facts = validFields(given);
  if (given["subagent_status"] === MAX_TURNS_REACHED) return turnCapped(facts);
  const status = SubagentStatus.safeParse(given["subagent_status"]);
  return status.success ? { ...facts, subagent_status: status.data } : null;
}

function turnCapped(facts: Omit<SubagentMetadata, "subagent_status">): SubagentMetadata {
  const status = facts.subagent_result_brief === undefined ? "failed" : "completed";
  return { subagent_stop_reason: "turn_capped", ...facts, subagent_status: status };
}

function validFields(given: Readonly<Record<string, unknown>>): Omit<SubagentMetadata, "subagent_status"> {
  const entries = Object.entries(SubagentMetadata.shape).flatMap(([key, schema]) => {
    if (key === "subagent_status" || given[key] === undefined) return [];
    const parsed = schema.safeParse(given[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(entries) as Omit<SubagentMetadata, "subagent_status">;
}
