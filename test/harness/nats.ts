import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { delay } from "@antler/platform";

export interface NatsOptions {
  /** Where JetStream keeps its files; a directory that `stop` and `kill` remove when left out. */
  readonly dataDir?: string;
  /** A fixed port, to come back under the same URL; a free one when left out. */
  readonly port?: number;
  /** Off for a server that only knows core NATS. */
  readonly jetstream?: boolean;
  /** Further arguments of nats-server. */
  readonly args?: readonly string[];
}

/** Ends in order at the end of `await using`, and is killed when the test process exits before. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Where the server tells of itself over HTTP. */
  readonly monitorUrl: string;
  readonly pid: number;
  /** Ends the server in order, with its files on disk. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

const READY_LIMIT_MS = 10_000;
const POLL_MS = 10;

/** Starts a nats-server with JetStream on a loopback port. NATS_SERVER names another binary. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const own = await mkdtemp(join(tmpdir(), "antler-nats-"));
  const dataDir = options.dataDir ?? join(own, "data");
  const child = spawn(natsServerBinary(), serverArguments(options, dataDir, own), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const output = tailOf(child);
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const address = await addressOf(child, own, output);
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    process.off("exit", killAtExit);
    await rm(own, { recursive: true, force: true });
  };
  const stop = () => end("SIGTERM");
  const kill = () => end("SIGKILL");
  return { ...address, pid: child.pid ?? 0, stop, kill, [Symbol.asyncDispose]: stop };
}

/** The program that tests start: the one of NATS_SERVER, else the system's. */
export function natsServerBinary(): string {
  const named = process.env["NATS_SERVER"];
  if (named !== undefined && named !== "") return named;
  return existsSync("/usr/sbin/nats-server") ? "/usr/sbin/nats-server" : "nats-server";
}

function serverArguments(options: NatsOptions, dataDir: string, portsDir: string): string[] {
  const { port = -1, jetstream = true, args = [] } = options;
  const addresses = ["-a", "127.0.0.1", "-p", `${port}`, "-m", "-1", "--ports_file_dir", portsDir];
  return [...addresses, ...(jetstream ? ["-js", "-sd", dataDir] : []), ...args];
}

async function addressOf(child: ChildProcess, portsDir: string, output: () => string) {
  const limit = AbortSignal.timeout(READY_LIMIT_MS);
  const spawned = once(child, "spawn", { signal: limit });
  await spawned;
  const path = join(portsDir, `nats-server_${child.pid ?? 0}.ports`);
  while (child.exitCode === null) {
    const urls = await readUrls(path);
    if (urls !== undefined) return { ...urls, port: Number(new URL(urls.url).port) };
    await delay(POLL_MS, limit);
  }
  throw new Error(`nats-server ended with code ${child.exitCode}: ${output()}`);
}

/** The server writes the file in one go, but it may be seen while it is still empty. */
async function readUrls(path: string): Promise<Pick<NatsServer, "url" | "monitorUrl"> | undefined> {
  try {
    const { nats, monitoring } = JSON.parse(await readFile(path, "utf8")) as { nats: string[]; monitoring: string[] };
    return { url: nats[0]!, monitorUrl: monitoring[0]! };
  } catch {
    return undefined;
  }
}

function tailOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text = `${text}${chunk}`.slice(-4000);
  });
  return () => text;
}
