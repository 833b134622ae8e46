import type { ToolMessage } from "@langchain/core/messages";

/**
 * Whether a call did not do what it was made for. Tools answer what a model can mend, such as a path that is refused,
 * with a text that begins with `Error:` and no status.
 */
export function isErrorResult({ status, text }: ToolMessage): boolean {
  return status === "error" || text.startsWith("Error:");
}
