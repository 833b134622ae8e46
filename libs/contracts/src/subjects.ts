import { z } from "zod";

/** A lane keeps batch work from taking an interactive place. */
export const Lane = z.enum(["interactive", "batch"]);
export type Lane = z.infer<typeof Lane>;
export const LANES: readonly Lane[] = Lane.options;

/** The pool whose tickets are runs, and the pool whose tickets are checks. All other pools take tasks. */
export const LEAD_POOL = "lead";
export const CHECKER_POOL = "checker";

export const subjects = {
  runs: (lane: Lane) => `runs.${lane}`,
  tasks: (pool: string, lane: Lane) => `tasks.${pool}.${lane}`,
  checks: (lane: Lane) => `checks.${lane}`,
  /** Stored events of a run as they are appended. */
  events: (runId: string) => `events.${runId}`,
  /** Token deltas of a run; live only. */
  live: (runId: string) => `live.${runId}`,
  cancel: (runId: string) => `ctl.cancel.${runId}`,
  cancelAll: "ctl.cancel.*",
  settled: (kind: "run" | "task", id: string) => `ctl.settled.${kind}.${id}`,
  batch: (batchId: string) => `ctl.batch.${batchId}`,
} as const;

/** The subject on which a pool's tickets travel. */
export function ticketSubject(pool: string, lane: Lane): string {
  if (pool === LEAD_POOL) return subjects.runs(lane);
  if (pool === CHECKER_POOL) return subjects.checks(lane);
  return subjects.tasks(pool, lane);
}
