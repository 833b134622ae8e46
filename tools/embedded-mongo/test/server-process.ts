import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** An embedded server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Sends the signal and resolves with the exit code, null after a kill, when the process has ended. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

/** How a process that was not to start ended. */
export interface FailedStart {
  readonly exitCode: number | null;
  readonly stderr: string;
}

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Starts a server process and waits for its first line. Rejects with its messages when it ends before. */
export async function startServerProcess(
  dataDir: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawnServer(dataDir, flags, environment);
  const stderr = collectText(child);
  const ended = once(child, "exit");
  const line = await Promise.race([
    firstLine(child),
    ended.then(() => {
      throw new Error(`The server ended before it was ready: ${stderr()}`);
    }),
  ]);
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    pid: child.pid ?? 0,
    async end(signal) {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await ended;
      return child.exitCode;
    },
  };
}

/** Starts a server process that is expected to refuse, and waits for its end. */
export async function failToStart(
  dataDir: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<FailedStart> {
  const child = spawnServer(dataDir, flags, environment);
  const stderr = collectText(child);
  await once(child, "close");
  return { exitCode: child.exitCode, stderr: stderr() };
}

function spawnServer(
  dataDir: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const args = ["--conditions=antler-dev", MAIN, "--data-dir", dataDir, "--parent-pid", String(process.pid), ...flags];
  return spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: "test", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collectText(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}
