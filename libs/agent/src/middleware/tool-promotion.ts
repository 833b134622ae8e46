import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";

import type { DeferredCatalog } from "../tools/deferred-catalog.ts";
import { FoundTools, TOOL_SEARCH_NAME } from "../tools/tool-search-tool.ts";

/**
 * Writes what `tool_search` found into the agent's state, together with its answer. It must be the outermost of all:
 * the others see the answer as a message like any other.
 */
export function createToolPromotion(catalog: DeferredCatalog): AgentMiddleware {
  return createMiddleware({
    name: "ToolPromotion",
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      if (request.toolCall.name !== TOOL_SEARCH_NAME || !ToolMessage.isInstance(result)) return result;
      const found = FoundTools.safeParse(result.artifact);
      if (!found.success) return result;
      const promoted = { catalog_hash: catalog.hash, names: found.data.found };
      return new Command({ update: { messages: [result], promoted } });
    },
  });
}
