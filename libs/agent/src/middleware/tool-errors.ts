import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware, MiddlewareError, ToolInvocationError } from "langchain";

import { failedOutcome, headOf, messageOf, outcomeMetadata } from "@antler/contracts";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { infrastructureFaultIn, isGraphControl } from "../execution-fault.ts";

/** Longest detail of a tool's error that the model is shown, in characters. */
const DETAIL_MAX_CHARS = 500;

/**
 * Turns what a tool throws into words for the model. Rethrown are faults that end the execution itself and the
 * graph's control signals, and anything at all once `signal` is aborted.
 */
export function createToolErrors(signal: AbortSignal): AgentMiddleware {
  return createMiddleware({
    name: "ToolErrors",
    wrapToolCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        const aborted = signal.aborted || request.runtime.signal?.aborted === true;
        if (aborted || infrastructureFaultIn(error) !== undefined || isGraphControl(error)) throw error;
        return errorMessage(request.toolCall, describe(error));
      }
    },
  });
}

interface Description {
  readonly kind: string;
  readonly detail: string;
}

function describe(error: unknown): Description {
  let root = error;
  while (MiddlewareError.isInstance(root) && root.cause !== undefined) root = root.cause;
  if (ToolInvocationError.isInstance(root)) root = root.toolError;
  const kind = root instanceof Error ? root.constructor.name : "Error";
  return { kind, detail: headOf(messageOf(root), DETAIL_MAX_CHARS) };
}

function errorMessage(call: { id?: string; name: string }, { kind, detail }: Description): ToolMessage {
  const metadata =
    call.name === TASK_TOOL_NAME
      ? { additional_kwargs: { ...outcomeMetadata(failedOutcome(`${kind}: ${detail}`)) } }
      : {};
  return new ToolMessage({
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "error",
    content:
      `Error: Tool '${call.name}' failed with ${kind}: ${detail}. ` +
      "Continue with available context, or choose an alternative tool.",
    ...metadata,
  });
}
