import type { DeadLetterView } from "@antler/contracts";
import type { DeadLetterRow } from "@antler/store";

export function deadLetterViewOf(letter: DeadLetterRow): DeadLetterView {
  const { _id: dead_letter_id, stream, subject, reason, payload, headers, row_id, retried } = letter;
  return {
    ...{ dead_letter_id, created_at: letter.created_at.toISOString() },
    ...{ stream, subject, reason, payload, headers: { ...headers }, row_id },
    retried_run_id: retried?.run_id ?? null,
    retried_at: retried?.at.toISOString() ?? null,
  };
}
