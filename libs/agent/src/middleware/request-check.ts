import { SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

/** The last look at a request before the model gets it: its one system message stands in front, never among the others. */
export function createRequestCheck(): AgentMiddleware {
  return createMiddleware({
    name: "RequestCheck",
    wrapModelCall: (request, handler) => {
      if (request.messages.some((message) => SystemMessage.isInstance(message)))
        throw new Error("A request holds a system message beside the one at its head");
      return handler(request);
    },
  });
}
