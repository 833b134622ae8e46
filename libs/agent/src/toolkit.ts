import type { StructuredToolInterface } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";

import type { McpTools } from "./mcp/mcp-pool.ts";
import { createToolGate } from "./middleware/tool-gate.ts";
import { createToolPromotion } from "./middleware/tool-promotion.ts";
import { assertDeferred, deferredCatalog } from "./tools/deferred-catalog.ts";
import type { ToolRefusal } from "./tools/tool-refusal.ts";
import { createToolSearchTool } from "./tools/tool-search-tool.ts";
import { toolSections } from "./tools/tool-sections.ts";

export interface ToolkitOptions {
  /** Names that policy left; an MCP tool that is not among them does not exist for the agent. */
  readonly names: readonly string[];
  /** The tools of the catalog among them. */
  readonly own: readonly StructuredToolInterface[];
  /** Tools that stand beside the policy, such as the lead's `task`. */
  readonly beside: readonly StructuredToolInterface[];
  readonly mcp: McpTools;
  readonly isSearchEnabled: boolean;
  readonly onRefused: (refusal: ToolRefusal) => void;
}

/** What an agent needs to have its tools and no others. */
export interface Toolkit {
  readonly tools: readonly StructuredToolInterface[];
  /** Outermost of all middlewares. */
  readonly outer: readonly AgentMiddleware[];
  readonly gate: AgentMiddleware;
  /** Parts of the system prompt. */
  readonly sections: readonly string[];
}

/**
 * Puts the tools of an agent together. `tool_search` comes last, over what is left after every filter.
 * @throws AntlerError `internal` when MCP tools would be shown although search should hide them.
 */
export function createToolkit({ names, own, beside, mcp, isSearchEnabled, onRefused }: ToolkitOptions): Toolkit {
  const taken = new Set([...own, ...beside].map(({ name }) => name));
  const candidates = mcp.tools.filter(({ name }) => names.includes(name) && !taken.has(name)).map(({ tool }) => tool);
  const catalog = deferredCatalog(candidates, isSearchEnabled);
  if (isSearchEnabled) assertDeferred(candidates, catalog);
  const search = catalog === null ? [] : [createToolSearchTool(catalog)];
  const tools = [...own, ...candidates, ...beside, ...search];
  return {
    tools,
    outer: catalog === null ? [] : [createToolPromotion(catalog)],
    gate: createToolGate({ permitted: new Set(tools.map(({ name }) => name)), catalog, onRefused }),
    sections: toolSections({
      deferred: catalog?.tools.map(({ name }) => name) ?? [],
      down: mcp.down.map(({ server }) => server),
    }),
  };
}
