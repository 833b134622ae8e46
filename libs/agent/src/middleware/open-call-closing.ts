import { type AgentMiddleware, createMiddleware } from "langchain";

import { closeOpenCalls } from "../messages/close-open-calls.ts";
import { presentableNames } from "../messages/presentable-names.ts";

/** Shows the model a history that every provider takes: each call has a result and a name. What is stored stays as it is. */
export function createOpenCallClosing(): AgentMiddleware {
  return createMiddleware({
    name: "OpenCallClosing",
    wrapModelCall: (request, handler) =>
      handler({ ...request, messages: presentableNames(closeOpenCalls(request.messages)) }),
  });
}
