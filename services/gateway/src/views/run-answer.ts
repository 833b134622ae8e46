import type { RunRow, StoredState } from "@antler/store";

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What a wait answers of a run that has ended: its final channel values, or its status and error. */
export async function answerOf(
  run: RunRow,
  readState: (checkpointId: string) => Promise<StoredState | undefined>,
): Promise<unknown> {
  const isPaused = run.status === "interrupted" && run.stop_reason === "input_required";
  if (run.status !== "success" && !isPaused) return failureOf(run, run.error);
  const state = run.head === null ? undefined : await readState(run.head);
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
