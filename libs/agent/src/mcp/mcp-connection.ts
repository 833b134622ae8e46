import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { type Environment, isAntlerError, type McpServerConfig } from "@antler/contracts";
import { withDeadline } from "@antler/platform";

import { createTransport, type ServerTransport } from "./mcp-transport.ts";

/** A tool as the adapters made it. */
export type ServerTool = Awaited<ReturnType<typeof loadMcpTools>>[number];

/** An open session with one server. */
export interface McpConnection {
  /** The server's tools by the names that agents know, as last listed. */
  tools(): ReadonlyMap<string, ServerTool>;
  /** Lists the tools anew when the server has told that they changed. */
  refresh(): Promise<void>;
  /** False once the server has gone, or a message could not be sent to it. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly environment: Environment;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const CLIENT = { name: "antler", version: "0.1.0" };

/** How long the end of a session may take at its server. */
const END_TIMEOUT_MS = 2000;

/** How long a process may take to end; the SDK kills it after 4 seconds. */
const GONE_TIMEOUT_MS = 6000;

/** @throws Error with the reason, within `timeoutMs`; nothing of the server is left behind. */
export async function connectServer(options: ConnectOptions): Promise<McpConnection> {
  const { server, config, environment, timeoutMs, signal } = options;
  const way = createTransport(config, environment);
  const client = new Client(CLIENT);
  const { isOpen, gone } = watchOf(client, way.transport);
  const close = () => closed(client, way, gone);
  try {
    const list = await withDeadline(
      async (limit) => {
        await client.connect(way.transport, { signal: limit, timeout: timeoutMs });
        return listedTools(server, client);
      },
      timeoutMs,
      signal,
    );
    const refresh = () => withDeadline(() => list.refresh(), timeoutMs, signal);
    return { tools: () => list.tools(), refresh, isOpen, close };
  } catch (error) {
    await close();
    throw isAntlerError(error, "deadline_exceeded") ? new Error(`no answer within ${timeoutMs} ms`) : error;
  }
}

interface ListedTools {
  tools(): ReadonlyMap<string, ServerTool>;
  refresh(): Promise<void>;
}

async function listedTools(server: string, client: Client): Promise<ListedTools> {
  let isStale = true;
  let tools: ReadonlyMap<string, ServerTool> = new Map();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    isStale = true;
  });
  const refresh = async () => {
    if (!isStale) return;
    isStale = false;
    const options = { prefixToolNameWithServerName: true, outputHandling: "content" } as const;
    const loaded = await loadMcpTools(server, client, options);
    tools = new Map(loaded.map((tool) => [tool.name, tool]));
  };
  await refresh();
  return { tools: () => tools, refresh };
}

interface ConnectionWatch {
  /** Whether the connection still stands, as far as it is known without asking the server. */
  isOpen(): boolean;
  /** Resolves once nothing is left of it; a process has ended then. */
  readonly gone: Promise<unknown>;
}

function watchOf(client: Client, transport: Transport): ConnectionWatch {
  const { promise: gone, resolve } = Promise.withResolvers<unknown>();
  let isOpen = true;
  const send = transport.send.bind(transport);
  client.onclose = () => {
    isOpen = false;
    resolve(undefined);
  };
  transport.send = async (...message) => {
    try {
      await send(...message);
    } catch (error) {
      isOpen = false;
      throw error;
    }
  };
  return { isOpen: () => isOpen, gone };
}

async function closed(client: Client, { endSession }: ServerTransport, gone: Promise<unknown>): Promise<void> {
  await withDeadline(endSession, END_TIMEOUT_MS).catch(() => undefined);
  await client.close().catch(() => undefined);
  await withDeadline(() => gone, GONE_TIMEOUT_MS).catch(() => undefined);
}
