import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import type { Environment, McpServerConfig } from "@antler/contracts";

export interface ServerTransport {
  readonly transport: Transport;
  /** Ends the session at the server, where it keeps one. */
  readonly endSession: () => Promise<void>;
}

/**
 * The way to a server. Of the environment a process gets the variables that its configuration names and, from the SDK,
 * HOME, LOGNAME, PATH, SHELL, TERM and USER.
 * @throws Error that names a variable which is not set.
 */
export function createTransport(config: McpServerConfig, environment: Environment): ServerTransport {
  if (config.transport === "stdio") {
    const env = Object.fromEntries(config.env.map((name) => [name, valueOf(name, environment)]));
    const { command, args } = config;
    return {
      transport: new StdioClientTransport({ command, args, env, stderr: "inherit" }),
      endSession: () => Promise.resolve(),
    };
  }
  const headers = Object.entries(config.headers_env).map(([header, name]) => [header, valueOf(name, environment)]);
  const requestInit = { headers: Object.fromEntries(headers) as Record<string, string> };
  const transport = new StreamableHTTPClientTransport(new URL(config.url), { requestInit });
  // The SDK's class and its own interface differ in optional properties under exactOptionalPropertyTypes.
  return { transport: transport, endSession: () => transport.terminateSession() };
}

function valueOf(name: string, environment: Environment): string {
  const value = environment[name];
  if (value === undefined || value === "") throw new Error(`environment variable ${name} is not set`);
  return value;
}
