import { HumanMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

/** What a guard has to tell the model; shown with its next call and then gone. */
export interface PendingNotices {
  readonly middleware: AgentMiddleware;
  /** `name` tells programs which guard speaks. */
  add(name: string, text: string): void;
}

/** Notices are human messages at the end of a request: providers take only one system message, and nothing is stored. */
export function createPendingNotices(): PendingNotices {
  let pending: HumanMessage[] = [];
  const middleware = createMiddleware({
    name: "PendingNotices",
    wrapModelCall: (request, handler) => {
      const notices = pending;
      pending = [];
      return handler({ ...request, messages: [...request.messages, ...notices] });
    },
  });
  return { middleware, add: (name, content) => void pending.push(new HumanMessage({ name, content })) };
}
