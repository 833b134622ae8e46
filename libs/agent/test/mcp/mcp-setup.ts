import { fileURLToPath } from "node:url";

import { type Config, type Environment, parseConfig } from "@antler/contracts";
import { createLogger } from "@antler/platform";

import { createMcpPool, type McpPool } from "../../src/index.ts";
import type { McpTools } from "../../src/mcp/mcp-pool.ts";

const STDIO_SERVER = fileURLToPath(new URL("servers/stdio-server.ts", import.meta.url));

/** Settings of a server that is a process of its own. */
export function aStdioServer(over: Record<string, unknown> = {}, ...args: string[]) {
  return { transport: "stdio", command: process.execPath, args: [STDIO_SERVER, ...args], ...over };
}

export function mcpConfig(
  servers: Record<string, unknown>,
  over: Record<string, unknown> = {},
): Config["tools"]["mcp"] {
  return parseConfig({ tools: { mcp: { servers, ...over } } }, {}).tools.mcp;
}

export interface TestPool extends AsyncDisposable {
  readonly pool: McpPool;
  /** Runs `work` with the tools of all servers for a thread. */
  inThread<T>(threadId: string, work: (tools: McpTools) => Promise<T>): Promise<T>;
}

/** A pool that is closed at the end of the block. */
export function openPool(config: Config["tools"]["mcp"], environment: Environment = {}): TestPool {
  const pool = createMcpPool({ config, environment, logger: createLogger({ service: "test", level: "fatal" }) });
  const servers = Object.keys(config.servers);
  const { signal } = new AbortController();
  return {
    pool,
    inThread: (threadId, work) => pool.use({ tenantId: "default", threadId, servers, signal }, work),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** Calls one of the tools; the answer's text. */
export async function call(tools: McpTools, name: string, args: object = {}): Promise<string> {
  const found = tools.tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name} among ${tools.tools.map((tool) => tool.name).join(", ")}`);
  return String(await found.tool.invoke(args));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
