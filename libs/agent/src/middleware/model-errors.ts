import { type AgentMiddleware, createMiddleware, MiddlewareError } from "langchain";

import { AntlerError, messageOf } from "@antler/contracts";

import { antlerErrorIn, isGraphControl } from "../execution-fault.ts";
import { isTransientModelError } from "../models/transient-model-error.ts";

/** Gives a failed model call its code: `model_unavailable` when it may work later, else `model_failed`. */
export function createModelErrors(modelName: string, signal: AbortSignal): AgentMiddleware {
  return createMiddleware({
    name: "ModelErrors",
    wrapModelCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        if (signal.aborted || isGraphControl(error) || antlerErrorIn(error) !== undefined) throw error;
        throw modelError(modelName, error);
      }
    },
  });
}

function modelError(modelName: string, error: unknown): AntlerError {
  let cause = error;
  while (MiddlewareError.isInstance(cause) && cause.cause !== undefined) cause = cause.cause;
  const code = isTransientModelError(cause) ? "model_unavailable" : "model_failed";
  return new AntlerError(code, `Model ${modelName}: ${messageOf(cause)}${hintFor(cause)}`, { cause });
}

/** A provider's client does not say which setting led to a server that does not answer. */
function hintFor(cause: unknown): string {
  const name = typeof cause === "object" && cause !== null && "name" in cause ? cause.name : undefined;
  const isUnreachable = name === "APIConnectionError" || messageOf(cause) === "Connection error.";
  return isUnreachable ? " No server answers there: look at base_url of the model (OPENAI_BASE_URL)" : "";
}
