import { z } from "zod";

export const RunStatus = z.enum(["held", "pending", "running", "success", "error", "timeout", "interrupted"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const TaskStatus = z.enum([
  "held",
  "pending",
  "running",
  "checking",
  "completed",
  "failed",
  "cancelled",
  "timed_out",
]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** What follows what in a run. `running → pending` is a release: drain, lease expiry or an infrastructure fault. */
export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  held: ["pending", "error", "timeout", "interrupted"],
  pending: ["running", "error", "timeout", "interrupted"],
  running: ["pending", "success", "error", "timeout", "interrupted"],
  success: [],
  error: [],
  timeout: [],
  interrupted: [],
};

/** What follows what in a task. `checking → pending` is a new round after a rejected verdict. */
export const TASK_TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  held: ["pending", "failed", "cancelled", "timed_out"],
  pending: ["running", "failed", "cancelled", "timed_out"],
  running: ["pending", "checking", "completed", "failed", "cancelled", "timed_out"],
  checking: ["pending", "completed", "failed", "cancelled", "timed_out"],
  completed: [],
  failed: [],
  cancelled: [],
  timed_out: [],
};

export type RunTerminalStatus = "success" | "error" | "timeout" | "interrupted";
export type TaskTerminalStatus = "completed" | "failed" | "cancelled" | "timed_out";

export const RUN_TERMINAL_STATUSES: readonly RunTerminalStatus[] = ["success", "error", "timeout", "interrupted"];
export const TASK_TERMINAL_STATUSES: readonly TaskTerminalStatus[] = ["completed", "failed", "cancelled", "timed_out"];

export function isRunTerminal(status: RunStatus): status is RunTerminalStatus {
  return RUN_TRANSITIONS[status].length === 0;
}

export function isTaskTerminal(status: TaskStatus): status is TaskTerminalStatus {
  return TASK_TRANSITIONS[status].length === 0;
}
