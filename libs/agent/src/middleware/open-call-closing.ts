import { type AgentMiddleware, createMiddleware } from "langchain";

import { closeOpenCalls } from "../messages/close-open-calls.ts";

/** Shows the model a history in which every tool call has a result; the stored history stays as it is. */
export function createOpenCallClosing(): AgentMiddleware {
  return createMiddleware({
    name: "OpenCallClosing",
    wrapModelCall: (request, handler) => handler({ ...request, messages: closeOpenCalls(request.messages) }),
  });
}
