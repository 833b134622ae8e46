import type { RowAt, WorkRow } from "@antler/store";

import { cancelEnding } from "./disposition.ts";
import type { Ending } from "./work-kind.ts";

/** Why a row could not be claimed, and whether it has to be ended for that. */
export type Refusal = { readonly kind: "leave" } | { readonly kind: "end"; readonly ending: Ending };

const leave: Refusal = { kind: "leave" };

/**
 * Judges a row that a claim did not get, by the store's clock. The ticket is acknowledged in any case: a row that is
 * terminal, not due, or leased by another worker is brought back by the reconciler when it needs to be.
 */
export function refusalOf({ row, now }: RowAt<WorkRow>): Refusal {
  if (row.status !== "pending" && row.status !== "running") return leave;
  const abandoned = row.status === "running" && row.lease_until !== null && row.lease_until <= now;
  if (row.status === "running" && !abandoned) return leave;
  if (row.cancel !== null) return { kind: "end", ending: cancelEnding(row.cancel.action) };
  if (row.attempt >= row.max_attempts) return end("lost_worker", lostWorkerText(row.attempt));
  if (row.deadline_at <= now) return end("deadline", "The time limit was over before the work could start");
  if (!abandoned && queueEndOf(row) <= now) return end("queue_timeout", queueTimeoutText(row.queue_limit_ms));
  return leave;
}

export function lostWorkerText(attempts: number): string {
  return `The worker was lost in each of ${attempts} attempts`;
}

export function queueTimeoutText(limitMs: number): string {
  return `Timed out after ${Math.round(limitMs / 1000)}s waiting for an execution slot`;
}

function queueEndOf(row: WorkRow): Date {
  return new Date(row.due_at.getTime() + row.queue_limit_ms);
}

function end(reason: Ending["reason"], message: string): Refusal {
  return { kind: "end", ending: { reason, message } };
}
