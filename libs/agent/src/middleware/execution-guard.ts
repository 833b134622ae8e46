import { type AgentMiddleware, createMiddleware } from "langchain";

import type { ExecutionLease } from "../ports.ts";

/** Nothing is asked of a model and no tool runs unless the lease is surely held and nobody asked to stop. */
export function createExecutionGuard(lease: ExecutionLease): AgentMiddleware {
  const assertMayGoOn = () => {
    lease.signal.throwIfAborted();
    lease.assertHeld();
  };
  return createMiddleware({
    name: "ExecutionGuard",
    wrapModelCall: (request, handler) => {
      assertMayGoOn();
      return handler(request);
    },
    wrapToolCall: (request, handler) => {
      assertMayGoOn();
      return handler(request);
    },
  });
}
