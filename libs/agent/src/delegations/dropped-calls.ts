import type { BaseMessage } from "@langchain/core/messages";

/** Task calls of an answer that were not run. */
export interface DroppedCalls {
  readonly count: number;
  readonly reason: "per_response" | "per_run";
  /** Whether the run may start no further task at all. */
  readonly isExhausted: boolean;
}

/** In `additional_kwargs` of an answer that was trimmed: it stays with the thread, whoever goes on with it. */
const MARK = "antler_dropped_calls";

/** What is added to an answer that lost calls. */
export function droppedMark(dropped: DroppedCalls): Readonly<Record<string, unknown>> {
  return { [MARK]: dropped };
}

/** The calls that an answer lost to the limits; null when it lost none. */
export function droppedCallsOf(message: BaseMessage): DroppedCalls | null {
  const mark: unknown = message.additional_kwargs[MARK];
  return typeof mark === "object" && mark !== null ? (mark as DroppedCalls) : null;
}

/** Whether an answer was told that its run may start no more tasks. */
export function isLimitExhausted(message: BaseMessage): boolean {
  return droppedCallsOf(message)?.isExhausted ?? false;
}
