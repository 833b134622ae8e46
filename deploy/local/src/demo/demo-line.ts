import { join } from "node:path";

import { DEFAULT_TENANT, type RunView, type TaskView } from "@antler/contracts";

/** The line that `--json` prints last. On failure it holds what is known, and `error`. */
export interface DemoLine {
  readonly run_id: string | null;
  readonly thread_id: string | null;
  readonly status: string;
  readonly model: string;
  readonly tasks: readonly DemoTask[];
  readonly lead_pid: number | null;
  readonly counts_path: string | null;
  readonly report_path: string | null;
  readonly trace_id: string | null;
  readonly error?: string;
}

export interface DemoTask {
  readonly task_id: string;
  readonly subagent_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly runner_id: string | null;
  readonly pid: number | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly duration_ms: number | null;
  readonly steps: number;
  readonly total_tokens: number;
}

export function emptyLine(model: string): DemoLine {
  const nothing = { run_id: null, thread_id: null, lead_pid: null, counts_path: null, report_path: null };
  return { ...nothing, status: "error", model, tasks: [], trace_id: null };
}

export function lineOf(run: RunView, tasks: readonly TaskView[], results: SurveyPaths & { model: string }): DemoLine {
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    status: run.status,
    model: results.model,
    tasks: tasks.map(taskOf),
    lead_pid: run.pid,
    counts_path: results.countsPath,
    report_path: results.reportPath,
    trace_id: run.trace_id,
  };
}

function taskOf(task: TaskView): DemoTask {
  const { started_at: startedAt, ended_at: endedAt } = task;
  const isTimed = startedAt !== null && endedAt !== null;
  return {
    task_id: task.task_id,
    subagent_type: task.subagent_type,
    status: task.status,
    attempts: task.attempts,
    runner_id: task.runner_id,
    pid: task.pid,
    started_at: startedAt,
    finished_at: endedAt,
    duration_ms: isTimed ? Date.parse(endedAt) - Date.parse(startedAt) : null,
    steps: task.steps,
    total_tokens: task.usage?.total_tokens ?? 0,
  };
}

/** Where the results lie on this machine; absolute. */
export interface SurveyPaths {
  readonly countsPath: string;
  readonly reportPath: string;
}

/** The stack keeps the workspace of a thread at `<workspaces>/<tenant>/<thread>`. */
export function surveyPaths(root: string, threadId: string): SurveyPaths {
  const outputs = join(root, ".antler/workspaces", DEFAULT_TENANT, threadId, "outputs");
  return { countsPath: join(outputs, "counts.json"), reportPath: join(outputs, "report.md") };
}
