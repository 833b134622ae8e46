import { Interrupt, type RunView, type TokenUsage, traceIdOf } from "@antler/contracts";
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
    interrupts: interruptsOf(run),
    max_model_calls: run.max_model_calls ?? null,
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

/** What a paused run asked when it ended; whether it has been answered since tells the thread's state. */
function interruptsOf({ stop_reason: reason, output }: RunRow): Interrupt[] {
  return reason === "input_required" ? (Interrupt.array().safeParse(output?.["interrupts"]).data ?? []) : [];
}

function kwargsOf(run: RunRow): Record<string, unknown> {
  return {
    input: run.input,
    command: run.command ?? null,
    config: run.config,
    context: run.context,
    stream_mode: run.stream_modes,
    stream_subgraphs: run.stream_subgraphs,
    on_disconnect: run.on_disconnect,
  };
}
