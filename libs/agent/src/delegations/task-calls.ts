import type { AIMessage } from "@langchain/core/messages";

/** The tool with which a lead delegates. */
export const TASK_TOOL_NAME = "task";

/** Ids of the task calls of an answer, in order. */
export function taskCallIds(message: AIMessage): string[] {
  return (message.tool_calls ?? []).flatMap(({ name, id }) =>
    name === TASK_TOOL_NAME && id !== undefined ? [id] : [],
  );
}
