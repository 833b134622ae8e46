import { type RunView, type TokenUsage, traceIdOf } from "@antler/contracts";
import type { RunRow } from "@antler/store";

/** A run as clients see it. */
export function runViewOf(run: RunRow, usage: TokenUsage | null): RunView {
  return {
    run_id: run._id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: run.created_at.toISOString(),
    updated_at: run.updated_at.toISOString(),
    status: run.status,
    stop_reason: run.stop_reason,
    error: run.error,
    metadata: { ...run.metadata },
    kwargs: kwargsOf(run),
    multitask_strategy: "reject",
    attempts: run.attempt,
    started_at: run.started_at?.toISOString() ?? null,
    ended_at: run.ended_at?.toISOString() ?? null,
    runner_id: run.claim?.runner_id ?? null,
    pid: run.claim?.pid ?? null,
    trace_id: traceIdOf(run.trace),
    usage,
  };
}

function kwargsOf(run: RunRow): Record<string, unknown> {
  return {
    input: run.input,
    config: run.config,
    context: run.context,
    stream_mode: run.stream_modes,
    stream_subgraphs: run.stream_subgraphs,
    on_disconnect: run.on_disconnect,
  };
}
