import type { TaskFrame, TaskView } from "@antler/contracts";

/** One task as the progress display shows it. */
export interface BoardRow {
  readonly callId: string;
  readonly type: string;
  readonly description: string;
  readonly state: string;
  readonly steps: number;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
}

/** What is known of the tasks of a run, from its live frames and its ledger. */
export interface TaskBoard {
  applyFrame(frame: TaskFrame, nowMs: number): void;
  applyLedger(tasks: readonly TaskView[]): void;
  rows(): readonly BoardRow[];
}

const states = {
  task_started: "running",
  task_running: "running",
  task_completed: "completed",
  task_failed: "failed",
  task_cancelled: "cancelled",
  task_timed_out: "timed out",
} as const satisfies Record<TaskFrame["type"], string>;

/** How far a state is: a reading of the ledger from a moment ago must not take back what a frame has told since. */
function rankOf(state: string): number {
  if (state === "pending" || state === "held") return 0;
  return state === "running" || state === "checking" ? 1 : 2;
}

export function createTaskBoard(): TaskBoard {
  const rows = new Map<string, BoardRow>();
  const update = (callId: string, change: Partial<BoardRow>): void => {
    rows.set(callId, { ...(rows.get(callId) ?? emptyRow(callId)), ...change });
  };
  return {
    applyFrame: (frame, nowMs) => update(frame.task_id, changeOf(frame, nowMs)),
    applyLedger: (tasks) => {
      for (const task of tasks) update(task.tool_call_id, factsOf(task, rows.get(task.tool_call_id)));
    },
    rows: () => [...rows.values()],
  };
}

function emptyRow(callId: string): BoardRow {
  const unknown = { type: "subagent", description: "", state: "pending", steps: 0 };
  return { callId, ...unknown, startedAtMs: undefined, endedAtMs: undefined };
}

function changeOf(frame: TaskFrame, nowMs: number): Partial<BoardRow> {
  const state = states[frame.type];
  if (frame.type === "task_started") {
    return { state, description: frame.description, steps: 0, startedAtMs: nowMs, endedAtMs: undefined };
  }
  return frame.type === "task_running" ? { state, steps: frame.message_index } : { state, endedAtMs: nowMs };
}

function factsOf(task: TaskView, row: BoardRow | undefined): Partial<BoardRow> {
  const facts = { type: task.subagent_type, description: task.description };
  const state = task.status.replace("_", " ");
  if (row !== undefined && rankOf(state) <= rankOf(row.state)) return facts;
  return { ...facts, state, steps: Math.max(row?.steps ?? 0, task.steps) };
}
