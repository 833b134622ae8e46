import type { StructuredToolInterface } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware, todoListMiddleware } from "langchain";

export interface TodoList {
  readonly tools: readonly StructuredToolInterface[];
  readonly middleware: AgentMiddleware;
}

/**
 * The tool `write_todos` and the words about it in the system message. The list is a slot of every thread's state, in
 * which the last of several lists of one answer stands; so no hook has to look for parallel calls.
 */
export function createTodoList(): TodoList {
  const { tools = [], wrapModelCall } = todoListMiddleware();
  return {
    tools: tools as StructuredToolInterface[],
    middleware: createMiddleware({ name: "TodoList", ...(wrapModelCall !== undefined && { wrapModelCall }) }),
  };
}
