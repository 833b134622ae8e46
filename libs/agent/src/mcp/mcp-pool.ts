import type { StructuredToolInterface } from "@langchain/core/tools";

import { type Environment, type McpConfig, messageOf } from "@antler/contracts";
import { type Logger, withDeadline } from "@antler/platform";

import type { ToolEntry } from "../tools/tool-policy.ts";
import { connectServer } from "./mcp-connection.ts";
import { describeTool } from "./mcp-description.ts";
import { createMcpTool } from "./mcp-tool.ts";
import { createServerSession, type ServerSession } from "./server-session.ts";
import { createThreadPool } from "./thread-pool.ts";

export interface McpTool extends ToolEntry {
  readonly tool: StructuredToolInterface;
}

export interface McpTools {
  readonly tools: readonly McpTool[];
  /** Servers that were asked for and cannot be reached. */
  readonly down: readonly { readonly server: string; readonly reason: string }[];
}

export interface McpRequest {
  readonly tenantId: string;
  readonly threadId: string;
  readonly servers: readonly string[];
  readonly signal: AbortSignal;
}

/** The sessions of one process with MCP servers, kept for each thread. */
export interface McpPool {
  /**
   * Runs `work` with the tools of those servers. The thread's sessions stay open meanwhile, and afterwards until they
   * have been idle for long enough. A server that is down costs its own tools only.
   */
  use<T>(request: McpRequest, work: (tools: McpTools) => Promise<T>): Promise<T>;
  /** Closes all sessions. */
  close(): Promise<void>;
}

export interface McpPoolOptions {
  readonly config: McpConfig;
  readonly environment: Environment;
  readonly logger: Logger;
}

/** How long what failed to connect may take to be closed. */
const CLOSE_GRACE_MS = 15_000;

export function createMcpPool({ config, environment, logger }: McpPoolOptions): McpPool {
  const timeoutMs = config.connect_timeout_seconds * 1000;
  const sessionOf = (server: string): ServerSession | null => {
    const settings = Object.hasOwn(config.servers, server) ? config.servers[server] : undefined;
    if (settings?.enabled !== true) return null;
    return createServerSession({
      server,
      group: settings.group,
      callTimeoutMs: settings.timeout_seconds * 1000,
      connect: (signal) => connectServer({ server, config: settings, environment, timeoutMs, signal }),
    });
  };
  const threads = createThreadPool({ idleMs: config.idle_seconds * 1000, maxIdle: config.max_idle_threads, sessionOf });
  return {
    use: ({ tenantId, threadId, servers, signal }, work) =>
      threads.hold(JSON.stringify([tenantId, threadId]), servers, async (sessions) => {
        const opened = withDeadline(() => toolsOf(sessions, logger), timeoutMs + CLOSE_GRACE_MS, signal);
        return work(await opened);
      }),
    close: () => threads.close(),
  };
}

async function toolsOf(sessions: readonly ServerSession[], logger: Logger): Promise<McpTools> {
  const results = await Promise.all(sessions.map((session) => toolsOfServer(session, logger)));
  return { tools: results.flatMap(({ tools }) => tools), down: results.flatMap(({ down }) => down) };
}

async function toolsOfServer(session: ServerSession, logger: Logger): Promise<McpTools> {
  const { server, group } = session;
  try {
    const connection = await session.connection();
    await connection.refresh();
    const described = [...connection.tools().values()].map((tool) => ({ name: tool.name, result: describeTool(tool) }));
    for (const { name, result } of described)
      if (typeof result === "string") logger.warn({ server, tool: name, reason: result }, "MCP tool is left out");
    const fit = described.flatMap(({ result }) => (typeof result === "string" ? [] : [result]));
    return { tools: fit.map((one) => ({ name: one.name, group, tool: createMcpTool(one, session) })), down: [] };
  } catch (error) {
    const reason = messageOf(error);
    logger.warn({ server, reason }, "MCP server cannot be reached");
    return { tools: [], down: [{ server, reason }] };
  }
}
