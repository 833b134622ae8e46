import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { isErrorResult } from "../messages/error-result.ts";

/** Tools that write one file, which their argument `path` names. */
const WRITING: readonly string[] = ["write_file", "str_replace"];

/** The files that an agent wrote with its file tools. What its commands wrote is not known here. */
export interface WrittenFiles {
  readonly middleware: AgentMiddleware;
  /** Virtual paths in the order in which they were first written. */
  paths(): readonly string[];
}

export function createWrittenFiles(): WrittenFiles {
  const paths = new Set<string>();
  const middleware = createMiddleware({
    name: "WrittenFiles",
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      const { name, args } = request.toolCall;
      const { path } = args as { readonly path?: unknown };
      const isWritten = WRITING.includes(name) && ToolMessage.isInstance(result) && !isErrorResult(result);
      if (isWritten && typeof path === "string") paths.add(path);
      return result;
    },
  });
  return { middleware, paths: () => [...paths] };
}
