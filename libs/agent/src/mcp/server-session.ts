import { messageOf } from "@antler/contracts";

import type { McpConnection } from "./mcp-connection.ts";

/** One thread's session with one server; opened when it is first needed, and anew once it broke. */
export interface ServerSession {
  readonly server: string;
  readonly group: string;
  readonly callTimeoutMs: number;
  /** @throws Error that names the server and why it cannot be reached. */
  connection(): Promise<McpConnection>;
  /** Gives up what is being opened and closes what is open, for good. */
  close(): Promise<void>;
}

export interface ServerSessionOptions {
  readonly server: string;
  readonly group: string;
  readonly callTimeoutMs: number;
  readonly connect: (signal: AbortSignal) => Promise<McpConnection>;
}

export function createServerSession({ server, group, callTimeoutMs, connect }: ServerSessionOptions): ServerSession {
  const ending = new AbortController();
  let live: McpConnection | null = null;
  let opening: Promise<McpConnection> | null = null;
  const open = async () => {
    try {
      await live?.close();
      live = await connect(ending.signal);
      return live;
    } catch (error) {
      live = null;
      throw new Error(`MCP server '${server}' cannot be reached: ${messageOf(error)}`, { cause: error });
    } finally {
      opening = null;
    }
  };
  return {
    server,
    group,
    callTimeoutMs,
    connection() {
      if (live?.isOpen() === true) return Promise.resolve(live);
      opening ??= open();
      return opening;
    },
    async close() {
      ending.abort(new Error("the session is closed"));
      await opening?.catch(() => undefined);
      await live?.close();
    },
  };
}
