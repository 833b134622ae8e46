import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import { type Environment, isAntlerError, type McpServerConfig } from "@antler/contracts";
import { withDeadline } from "@antler/platform";

import { createTransport, type ServerTransport } from "./mcp-transport.ts";

/** A tool as the adapters made it. */
export type ServerTool = Awaited<ReturnType<typeof loadMcpTools>>[number];

/** An open session with one server. */
export interface McpConnection {
  /** The server's tools by the names that agents know. */
  readonly tools: ReadonlyMap<string, ServerTool>;
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

/** @throws Error with the reason, within `timeoutMs`; nothing of the server is left behind. */
export async function connectServer(options: ConnectOptions): Promise<McpConnection> {
  const { server, config, environment, timeoutMs, signal } = options;
  const way = createTransport(config, environment);
  const client = new Client(CLIENT);
  const isOpen = watchOf(client, way.transport);
  const close = () => closed(client, way);
  try {
    const tools = await withDeadline(
      async (limit) => {
        await client.connect(way.transport, { signal: limit, timeout: timeoutMs });
        return loadMcpTools(server, client, { prefixToolNameWithServerName: true, outputHandling: "content" });
      },
      timeoutMs,
      signal,
    );
    return { tools: new Map(tools.map((tool) => [tool.name, tool])), isOpen, close };
  } catch (error) {
    await close();
    throw isAntlerError(error, "deadline_exceeded") ? new Error(`no answer within ${timeoutMs} ms`) : error;
  }
}

/** Tells whether the connection still stands, as far as it is known without asking the server. */
function watchOf(client: Client, transport: Transport): () => boolean {
  let isOpen = true;
  const send = transport.send.bind(transport);
  client.onclose = () => {
    isOpen = false;
  };
  transport.send = async (...message) => {
    try {
      await send(...message);
    } catch (error) {
      isOpen = false;
      throw error;
    }
  };
  return () => isOpen;
}

async function closed(client: Client, { endSession }: ServerTransport): Promise<void> {
  await withDeadline(endSession, END_TIMEOUT_MS).catch(() => undefined);
  await client.close().catch(() => undefined);
}
