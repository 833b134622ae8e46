import type { RunRow, StoredState } from "@antler/store";

interface Failure {
  readonly code: string;
  readonly message: string;
}

/**
 * What a wait answers of a run that has ended: its final channel values, or its status and error. A run that answered
 * one of several questions has no checkpoint of its own, and its values are those that it began with.
 */
export async function answerOf(
  run: RunRow,
  readState: (checkpointId: string) => Promise<StoredState | undefined>,
): Promise<unknown> {
  const isPaused = run.status === "interrupted" && run.stop_reason === "input_required";
  if (run.status !== "success" && !isPaused) return failureOf(run, run.error);
  const head = run.head ?? (isPaused ? run.base : null);
  const state = head === null ? undefined : await readState(head);
  if (state === undefined) return run.output ?? {};
  return isPaused ? { ...state.values, __interrupt__: run.output?.["interrupts"] ?? [] } : state.values;
}

/** `__error__` is where clients of LangGraph's server look for an error. */
export function failureOf({ status, stop_reason }: Pick<RunRow, "status" | "stop_reason">, error: Failure | null) {
  return {
    status,
    stop_reason,
    error,
    ...(error !== null && { __error__: { error: error.code, message: error.message } }),
  };
}
