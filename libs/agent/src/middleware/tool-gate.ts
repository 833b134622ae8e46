import { type AgentMiddleware, createMiddleware } from "langchain";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { PromotedState, type PromotedTools } from "../thread-state.ts";
import { type DeferredCatalog, isWithheld } from "../tools/deferred-catalog.ts";
import { refusalMessage, type ToolRefusal, toolRefusal } from "../tools/tool-refusal.ts";
import { TOOL_SEARCH_NAME } from "../tools/tool-search-tool.ts";

export interface ToolGateOptions {
  /** Names of all tools that the agent may call, exactly as they are called. */
  readonly permitted: ReadonlySet<string>;
  readonly catalog: DeferredCatalog | null;
  readonly onRefused: (refusal: ToolRefusal) => void;
}

/**
 * Holds an agent to its list of tools where they run, wherever the call came from: any name that is not on the list, in
 * any spelling, and any deferred tool that is not promoted is answered with an error and nothing runs. Requests show
 * the model only the tools that it may call now.
 */
export function createToolGate({ permitted, catalog, onRefused }: ToolGateOptions): AgentMiddleware {
  const reasonAgainst = (name: string, state: unknown): ToolRefusal["reason"] | null => {
    if (!permitted.has(name)) return "not_permitted";
    return isWithheld(catalog, promotedIn(state), name) ? "not_promoted" : null;
  };
  return createMiddleware({
    name: "ToolGate",
    stateSchema: PromotedState,
    wrapModelCall: (request, handler) =>
      handler({
        ...request,
        tools: request.tools.filter((tool) => reasonAgainst(String(tool.name), request.state) === null),
      }),
    wrapToolCall: (request, handler) => {
      const reason = reasonAgainst(request.toolCall.name, request.state);
      if (reason === null) return handler(request);
      const refusal = toolRefusal(request.toolCall, reason);
      onRefused(refusal);
      return refusalMessage(refusal, refusalText(refusal));
    },
  });
}

function promotedIn(state: unknown): PromotedTools | undefined {
  return (state as { readonly promoted?: PromotedTools }).promoted;
}

function refusalText({ tool_name: name, reason }: ToolRefusal): string {
  if (reason === "not_promoted")
    return `Error: Tool '${name}' is not loaded yet. Call ${TOOL_SEARCH_NAME} with "select:${name}" first, then call it.`;
  if (name === TASK_TOOL_NAME)
    return "Error: Tool 'task' is not available: this agent cannot delegate. Do the work yourself.";
  return `Error: Tool '${name}' is not available to this agent. Nothing was run. Use one of your own tools.`;
}
