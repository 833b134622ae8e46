import type { McpPool, McpRequest, McpTools } from "./mcp-pool.ts";

const NONE: McpTools = { tools: [], down: [] };

/** Runs `work` with the tools of the servers asked for; with none where there is no pool or nothing to ask. */
export async function withMcpTools<T>(
  pool: McpPool | undefined,
  request: McpRequest,
  work: (tools: McpTools) => Promise<T>,
): Promise<T> {
  return pool === undefined || request.servers.length === 0 ? work(NONE) : pool.use(request, work);
}
