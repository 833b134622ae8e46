import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { withDeadline } from "@antler/platform";

export type ServiceName = "gateway" | "lead-runner" | "subagent-runner";

/** A service as a process of its own, the way it runs in production. */
export interface ServiceProcess {
  readonly name: ServiceName;
  readonly pid: number;
  readonly port: number;
  /** Log lines so far. */
  readonly lines: readonly string[];
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const READY_LIMIT_MS = 180_000;

/** Starts a service and waits until it says that it is ready. */
export async function startService(name: ServiceName, environment: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const args = ["--conditions=antler-dev", `services/${name}/src/main.ts`];
  const child = spawn(process.execPath, args, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const port = await withDeadline(() => readyPort(child, lines), READY_LIMIT_MS).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw new Error(`${name} did not become ready:\n${lines.slice(-20).join("\n")}`, { cause: error });
  });
  return { name, pid: child.pid ?? 0, port, lines, exited, kill: (signal) => void child.kill(signal) };
}

function readyPort(child: ChildProcess, lines: string[]): Promise<number> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("The service has no output");
  createInterface({ input: stderr }).on("line", (line) => lines.push(line));
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).on("line", (line) => {
      lines.push(line);
      if (line.includes('"event":"ready"')) resolve(portOf(line));
    });
    child.once("exit", (code) => reject(new Error(`It ended with ${code}`)));
  });
}

function portOf(line: string): number {
  return (JSON.parse(line) as { http_port: number }).http_port;
}
