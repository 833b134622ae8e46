import type { StructuredToolInterface } from "@langchain/core/tools";
import { tool } from "langchain";

import { isAntlerError, messageOf } from "@antler/contracts";
import { withDeadline } from "@antler/platform";

import type { McpDescription } from "./mcp-description.ts";
import { mcpResultText } from "./mcp-result.ts";
import type { ServerSession } from "./server-session.ts";

interface CallConfig {
  readonly signal?: AbortSignal;
}

/**
 * A tool of a server. A call goes to the session that stands then, newly opened if need be; when there is none to be
 * had the error names the server.
 */
export function createMcpTool(described: McpDescription, session: ServerSession): StructuredToolInterface {
  const { name, description, schema } = described;
  const call = async (args: unknown, { signal }: CallConfig) => {
    const connection = await session.connection();
    const found = connection.tools().get(name);
    if (found === undefined) throw new Error(`MCP server '${session.server}' no longer has this tool`);
    try {
      const config = { timeout: session.callTimeoutMs, ...(signal !== undefined && { signal }) };
      const [content] = (await found.func({ ...(args as object) }, undefined, config)) as [unknown, unknown];
      return mcpResultText(content);
    } catch (error) {
      if (connection.isOpen()) throw error;
      throw new Error(`MCP server '${session.server}' cannot be reached: ${messageOf(error)}`, { cause: error });
    }
  };
  const bounded = async (args: unknown, config: CallConfig) => {
    const late = new Error(`MCP server '${session.server}' gave no answer within ${session.callTimeoutMs} ms`);
    return withDeadline((signal) => call(args, { signal }), session.callTimeoutMs, config.signal).catch(
      (error: unknown) => {
        throw isOwnDeadline(error, config.signal) ? late : error;
      },
    );
  };
  return tool(bounded, { name, description, schema });
}

/** Whether the call's own limit struck, which is the model's to see, and not that of the execution around it. */
function isOwnDeadline(error: unknown, signal: AbortSignal | undefined): boolean {
  return isAntlerError(error, "deadline_exceeded") && signal?.aborted !== true;
}
