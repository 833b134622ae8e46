import type { RunRow } from "@antler/store";

import type { CheckpointState } from "../gateway-deps.ts";
import { valuesOf } from "./thread-view.ts";

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What a wait answers of a run that has ended: its final channel values, or its status and error. */
export async function answerOf(
  run: RunRow,
  readState: (checkpointId: string) => Promise<CheckpointState | undefined>,
): Promise<unknown> {
  const isPaused = run.status === "interrupted" && run.stop_reason === "input_required";
  if (run.status !== "success" && !isPaused) return failureOf(run, run.error);
  const state = run.head === null ? undefined : await readState(run.head);
  return state === undefined ? (run.output ?? {}) : valuesOf(state);
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
