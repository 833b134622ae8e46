import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { withDeadline } from "@antler/platform";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const READY_LIMIT_MS = 60_000;

/** A document store as a process of its own, which keeps its port and its data when it is started again. */
export interface StoreServer {
  readonly port: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export async function startStoreServer(dataDir: string): Promise<StoreServer> {
  let server = await launch(dataDir, 0);
  const { port } = server;
  const kill = async () => {
    const exited = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await exited;
  };
  return {
    port,
    kill,
    async restart() {
      server = await launch(dataDir, port);
    },
  };
}

async function launch(dataDir: string, port: number): Promise<{ child: ChildProcess; port: number }> {
  const main = ["--conditions=antler-dev", "tools/embedded-mongo/src/main.ts"];
  const args = [...main, "--data-dir", dataDir, "--port", String(port), "--parent-pid", String(process.pid)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const ready = withDeadline(() => once(createInterface({ input: child.stdout }), "line"), READY_LIMIT_MS);
  const [line] = (await ready) as [string];
  return { child, port: (JSON.parse(line) as { port: number }).port };
}
