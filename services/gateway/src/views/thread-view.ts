import { isRunTerminal, type ThreadStateView, type ThreadView } from "@antler/contracts";
import type { RunRow, ThreadRow } from "@antler/store";

import type { CheckpointState } from "../gateway-deps.ts";
import { plainValues } from "./message-dict.ts";

export interface ThreadSituation {
  readonly newestRun: RunRow | undefined;
  readonly state: CheckpointState | undefined;
}

/** A thread as clients see it; its status follows from its newest run. */
export function threadViewOf(thread: ThreadRow, { newestRun, state }: ThreadSituation): ThreadView {
  return {
    thread_id: thread._id,
    created_at: thread.created_at.toISOString(),
    updated_at: (newestRun?.updated_at ?? thread.updated_at).toISOString(),
    metadata: { ...thread.metadata },
    status: statusOf(newestRun),
    values: state === undefined ? null : valuesOf(state),
    interrupts: {},
  };
}

function statusOf(run: RunRow | undefined): ThreadView["status"] {
  if (run === undefined) return "idle";
  if (!isRunTerminal(run.status)) return "busy";
  if (run.status === "error" || run.status === "timeout") return "error";
  return run.stop_reason === "input_required" ? "interrupted" : "idle";
}

export function threadStateOf(threadId: string, state: CheckpointState | undefined): ThreadStateView {
  const refer = (checkpointId: string) => ({ thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId });
  return {
    values: state === undefined ? {} : valuesOf(state),
    next: [],
    tasks: [],
    interrupts: [],
    metadata: { ...state?.metadata },
    created_at: state?.createdAt ?? null,
    checkpoint: state === undefined ? null : refer(state.id),
    parent_checkpoint: state?.parentId == null ? null : refer(state.parentId),
  };
}

/** Channel values of the root graph, without the channels that the graph keeps for itself. */
export function valuesOf(state: CheckpointState): Record<string, unknown> {
  const own = Object.entries(state.values).filter(([name]) => !isInternal(name));
  return Object.fromEntries(own.map(([name, value]) => [name, plainValues(value)]));
}

function isInternal(channel: string): boolean {
  return channel.startsWith("__") || channel.startsWith("branch:") || channel.startsWith("start:");
}
