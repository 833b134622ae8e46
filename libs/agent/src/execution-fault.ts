import { isGraphBubbleUp } from "@langchain/langgraph";

import { type AntlerError, type ErrorCode, isAntlerError } from "@antler/contracts";

/** Faults that end an execution from outside; none of them is the model's to see. */
const INFRASTRUCTURE: readonly ErrorCode[] = [
  "lease_lost",
  "drained",
  "cancelled",
  "deadline_exceeded",
  "store_unavailable",
  "bus_unavailable",
];

function withCauses(error: unknown): unknown[] {
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const cause = error instanceof Error && error.cause !== undefined ? [error.cause] : [];
  return [error, ...[...inner, ...cause].flatMap(withCauses)];
}

/** The Antler error inside whatever the graph threw: libraries wrap errors on their way up. */
export function antlerErrorIn(error: unknown, ...codes: readonly ErrorCode[]): AntlerError | undefined {
  return withCauses(error).find((entry): entry is AntlerError => isAntlerError(entry, ...codes));
}

/** The fault because of which this execution must stop, if `error` is or holds one. */
export function infrastructureFaultIn(error: unknown): AntlerError | undefined {
  return antlerErrorIn(error, ...INFRASTRUCTURE);
}

/** Whether `error` is one of the graph's own control signals, such as an interrupt. */
export function isGraphControl(error: unknown): boolean {
  return withCauses(error).some(isGraphBubbleUp);
}
