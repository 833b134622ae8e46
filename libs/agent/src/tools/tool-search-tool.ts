import { ToolMessage } from "@langchain/core/messages";
import { tool } from "langchain";
import { z } from "zod";

import { headOf } from "@antler/contracts";

import type { DeferredCatalog, DeferredTool } from "./deferred-catalog.ts";
import { searchTools } from "./search-tools.ts";
import { callIdOf, type ToolCallConfig } from "./tool-call-config.ts";

export const TOOL_SEARCH_NAME = "tool_search";

/** Longest description of a found tool in the answer, in characters. */
const SUMMARY_MAX_CHARS = 200;

const schema = z.object({
  query: z
    .string()
    .min(1)
    .max(20_000)
    .describe('What to look for: "select:name1,name2" for exact names, "+word more words", or just words'),
});

/** What a search found, beside its text; the names are those that the model may call from now on. */
export const FoundTools = z.object({ found: z.array(z.string()) });

/** Finds deferred tools and makes them callable. The answer holds no schema: those come with the next request. */
export function createToolSearchTool(catalog: DeferredCatalog) {
  return tool(
    ({ query }: z.infer<typeof schema>, config: ToolCallConfig) => {
      const tools = searchTools(catalog.tools, query);
      const found = { found: tools.map(({ name }) => name) } satisfies z.infer<typeof FoundTools>;
      return new ToolMessage({
        tool_call_id: callIdOf(config),
        name: TOOL_SEARCH_NAME,
        content: answerOf(tools),
        artifact: found,
      });
    },
    {
      name: TOOL_SEARCH_NAME,
      description:
        "Find tools among those listed in <available-deferred-tools> and load them. Their parameters are unknown to " +
        'you and calls are refused until then. Queries: "select:name1,name2" loads exactly these; "+word more words" ' +
        "finds tools in which the word occurs; plain words find the best matches. Words are plain text, not patterns.",
      schema,
    },
  );
}

function answerOf(tools: readonly DeferredTool[]): string {
  if (tools.length === 0) return "No tool matches. The names that can be found are in <available-deferred-tools>.";
  const lines = tools.map(({ name, description }) => `- ${name}: ${headOf(description, SUMMARY_MAX_CHARS)}`);
  return `Loaded; call them from your next answer on:\n${lines.join("\n")}`;
}
