import type { Server, Socket } from "node:net";
import { createServer } from "node:net";

import type { BindAddress } from "./bind-address.ts";
import { hostAndPort, isSocketPath, refuseReachableAddress } from "./bind-address.ts";
import { createCatalog } from "./catalog/catalog.ts";
import { createDocumentWriter } from "./catalog/document-writer.ts";
import { createMemoryGuard } from "./catalog/memory-guard.ts";
import type { ServerState } from "./commands/command.ts";
import { createCursorTable } from "./commands/cursor-table.ts";
import { createDispatcher } from "./commands/dispatcher.ts";
import { createRetryTable } from "./commands/retry-table.ts";
import { openDataDirectory } from "./storage/data-directory.ts";
import { createMemoryJournal } from "./storage/journal.ts";
import { removeExpired } from "./time-to-live.ts";
import { serveConnection } from "./wire/connection.ts";

/** What a server needs; without `dataDir` the data is in memory only. */
export interface ServerOptions extends BindAddress {
  readonly dataDir?: string;
  /** How large the log grows before it is compacted. */
  readonly compactAtBytes?: number;
  /** How often expired documents are removed. */
  readonly sweepIntervalMs?: number;
  /** Told of what failed outside any command: a compaction, the removal of expired documents. */
  readonly onBackgroundError?: (error: unknown) => void;
}

/** A listening server. */
export interface RunningServer {
  readonly address: BindAddress;
  /** Ends all connections, flushes and closes the data; further calls await the first. */
  close(): Promise<void>;
}

const DEFAULT_COMPACT_AT_BYTES = 16 * 1024 * 1024;
const DEFAULT_SWEEP_INTERVAL_MS = 5_000;
const REPLICA_SET = "rs0";

/** Starts a server. Throws StartupError when the address or the data directory is refused. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  refuseReachableAddress(options);
  const sockets = new Set<Socket>();
  let address: BindAddress = options;
  const state = createState(options, {
    address: () => hostAndPort(address),
    replicaSet: isSocketPath(options.host) ? undefined : REPLICA_SET,
    startedAtMs: Date.now(),
    connectionCount: () => sockets.size,
  });
  const dispatch = createDispatcher(state);
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(socket, dispatch);
  });
  try {
    address = await listen(listener, options);
  } catch (error) {
    await state.journal.close();
    throw error;
  }
  const stopSweeping = sweepRegularly(state, options);
  const stop = async (): Promise<void> => {
    stopSweeping();
    const closed = closeListener(listener);
    for (const socket of sockets) socket.destroy();
    await closed;
    await state.journal.close();
  };
  let stopped: Promise<void> | undefined;
  return { address, close: () => (stopped ??= stop()) };
}

function createState(options: ServerOptions, identity: ServerState["identity"]): ServerState {
  const catalog = createCatalog();
  const retries = createRetryTable();
  const { dataDir, compactAtBytes = DEFAULT_COMPACT_AT_BYTES, onBackgroundError = () => undefined } = options;
  const journal =
    dataDir === undefined
      ? createMemoryJournal()
      : openDataDirectory({
          directory: dataDir,
          catalog,
          retries,
          compactAtBytes,
          onCompactionError: onBackgroundError,
        });
  const writer = createDocumentWriter({ catalog, journal, memory: createMemoryGuard(catalog) });
  return { catalog, writer, journal, cursors: createCursorTable(), retries, identity };
}

function listen(listener: Server, { host, port }: BindAddress): Promise<BindAddress> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(isSocketPath(host) ? { path: host } : { host, port }, () => {
      listener.off("error", reject);
      const bound = listener.address();
      resolve({ host, port: typeof bound === "object" && bound !== null ? bound.port : port });
    });
  });
}

function closeListener(listener: Server): Promise<void> {
  return new Promise((resolve) => {
    listener.close(() => {
      resolve();
    });
  });
}

function sweepRegularly(state: ServerState, options: ServerOptions): () => void {
  const { sweepIntervalMs = DEFAULT_SWEEP_INTERVAL_MS, onBackgroundError = () => undefined } = options;
  const timer = setInterval(() => {
    try {
      sweep(state, Date.now());
    } catch (error) {
      onBackgroundError(error);
    }
  }, sweepIntervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function sweep(state: ServerState, nowMs: number): void {
  state.cursors.dropIdle(nowMs);
  removeExpired(state.catalog, state.writer, nowMs);
  state.journal.commit();
}
