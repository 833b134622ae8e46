import { isRunTerminal, type ThreadStateView, type ThreadView } from "@antler/contracts";
import type { RunRow, StoredState, ThreadRow } from "@antler/store";

export interface ThreadSituation {
  /** Runs that were rolled back do not count. */
  readonly newestRun: RunRow | undefined;
  readonly state: StoredState | undefined;
}

/** A thread as clients see it; its status follows from its newest run. */
export function threadViewOf(thread: ThreadRow, { newestRun, state }: ThreadSituation): ThreadView {
  return {
    thread_id: thread._id,
    created_at: thread.created_at.toISOString(),
    updated_at: (newestRun?.updated_at ?? thread.updated_at).toISOString(),
    metadata: { ...thread.metadata },
    status: statusOf(newestRun),
    values: state === undefined ? null : { ...state.values },
    interrupts: Object.fromEntries(asking(state).map(({ id, interrupts }) => [id, interrupts])),
  };
}

function statusOf(run: RunRow | undefined): ThreadView["status"] {
  if (run === undefined) return "idle";
  if (!isRunTerminal(run.status)) return "busy";
  if (run.status === "error" || run.status === "timeout") return "error";
  return run.stop_reason === "input_required" ? "interrupted" : "idle";
}

export function threadStateOf(threadId: string, state: StoredState | undefined): ThreadStateView {
  const refer = (checkpointId: string) => ({ thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId });
  return {
    values: state === undefined ? {} : { ...state.values },
    next: asking(state).map(({ name }) => name),
    tasks: asking(state),
    interrupts: asking(state).flatMap(({ interrupts }) => interrupts),
    metadata: { ...state?.metadata },
    created_at: state?.created_at ?? null,
    checkpoint: state === undefined ? null : refer(state.checkpoint_id),
    parent_checkpoint: state?.parent_checkpoint_id == null ? null : refer(state.parent_checkpoint_id),
  };
}

/** The step's tasks that wait for an answer; only tools ask. */
function asking(state: StoredState | undefined) {
  return (state?.interrupts ?? []).map(({ task_id: taskId, id, value }) => ({
    ...{ id: taskId, name: "tools", error: null, checkpoint: null, state: null },
    interrupts: [{ id, value }],
  }));
}
