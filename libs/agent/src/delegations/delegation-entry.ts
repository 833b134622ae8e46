import { z } from "zod";

import { AcceptanceVerdict, SubagentStatus } from "@antler/contracts";

/** One task call of a thread, as its lead remembers it. Made from messages and their metadata, never from a text. */
export const DelegationEntry = z.object({
  /** The tool call's id. */
  id: z.string(),
  run_id: z.string().optional(),
  description: z.string(),
  subagent_type: z.string(),
  status: z.enum(["in_progress", ...SubagentStatus.options]),
  result_brief: z.string().optional(),
  /** Of the whole result; of the brief where the whole is not known. */
  result_sha256: z.string().optional(),
  /** Id of the message that holds the result. */
  result_ref: z.string().optional(),
  stop_reason: z.string().optional(),
  verdict: AcceptanceVerdict.optional(),
  /** ISO 8601 in UTC. */
  created_at: z.string(),
});
export type DelegationEntry = z.infer<typeof DelegationEntry>;
