import type { AgentMiddleware } from "langchain";

import type { ModelConfig } from "@antler/contracts";

import type { ExecutionLease } from "../ports.ts";
import { createExecutionGuard } from "./execution-guard.ts";
import { createModelRetry } from "./model-retry.ts";
import { createRetryAfterWait } from "./retry-after-wait.ts";
import { createWholeAnswer } from "./whole-answer.ts";

/** What surrounds each attempt at a model call, whoever makes it; outermost first. */
export function modelAttempt(
  { max_retries, provider }: Pick<ModelConfig, "max_retries" | "provider">,
  lease: ExecutionLease,
): AgentMiddleware[] {
  return [
    // Around all that is done anew with each attempt.
    createModelRetry(max_retries, lease),
    // Within the retries: the wait that a refusal asks for comes before the next attempt.
    createRetryAfterWait(lease.signal),
    // Within the retries: an answer that broke off is asked for again.
    createWholeAnswer(provider),
    // Last of all: after every wait the lease is looked at once more.
    createExecutionGuard(lease),
  ];
}

/** Makes a model call that is no part of an agent's loop with those middlewares around it; they may not read its request. */
export function attempted<Answer>(
  middlewares: readonly AgentMiddleware[],
  call: () => Promise<Answer>,
): Promise<Answer> {
  const around = middlewares.reduceRight<() => Promise<Answer>>((handler, { wrapModelCall }) => {
    const wrap = wrapModelCall as unknown as ((request: object, next: typeof handler) => Promise<Answer>) | undefined;
    return wrap === undefined ? handler : () => wrap({}, handler);
  }, call);
  return around();
}
