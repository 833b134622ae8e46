import { z } from "zod";

/** A message that no worker could use, as operators see it. */
export const DeadLetterView = z
  .object({
    dead_letter_id: z.string(),
    created_at: z.string(),
    stream: z.string(),
    subject: z.string(),
    reason: z.string(),
    /** The message's text, at most 64 Ki characters of it. */
    payload: z.string(),
    headers: z.record(z.string(), z.string()),
    /** Id of the run or task that the message names, where it could be read. */
    row_id: z.string().nullable(),
    retried_run_id: z.string().nullable(),
    retried_at: z.string().nullable(),
  })
  .meta({ id: "DeadLetter" });
export type DeadLetterView = z.infer<typeof DeadLetterView>;
