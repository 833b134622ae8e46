import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import type { ProcessSpec } from "../supervisor/process-spec.ts";
import { readyByNatsPorts, readyByPortFile } from "../supervisor/readiness.ts";
import type { StackFolder } from "./stack-folder.ts";

export interface ServerContext {
  /** The repository, whose sources are run. */
  readonly root: string;
  readonly folder: StackFolder;
  readonly environment: NodeJS.ProcessEnv;
}

/** nats-server with JetStream on a loopback port that the kernel chooses and a restart keeps. */
export function natsSpec(file: string, { folder, environment }: ServerContext): ProcessSpec {
  return {
    name: "nats",
    readyWithinMs: 15_000,
    command: (port = -1) => ({
      file,
      args: [
        ...["-a", "127.0.0.1", "-p", String(port), "-m", "-1"],
        ...["-js", "-sd", folder.nats, "--ports_file_dir", folder.run],
      ],
      cwd: folder.root,
      environment,
    }),
    ready: ({ pid }, signal) => readyByNatsPorts(folder.run, pid, signal),
  };
}

/** The single-process MongoDB-wire server of this repository. */
export function embeddedStoreSpec({ root, folder, environment }: ServerContext): ProcessSpec {
  const portFile = join(folder.run, "store.port");
  return {
    name: "store",
    readyWithinMs: 30_000,
    command: (port = 0) => {
      rmSync(portFile, { force: true });
      return {
        file: process.execPath,
        args: [
          ...["--conditions=antler-dev", join(root, "tools/embedded-mongo/src/main.ts")],
          ...["--data-dir", folder.store, "--port", String(port), "--port-file", portFile],
          ...["--parent-pid", String(process.pid)],
        ],
        cwd: root,
        environment,
      };
    },
    ready: (_, signal) => readyByPortFile(portFile, signal),
  };
}

/** A mongod of the machine. It says on which port it listens only in its log, so the port is chosen before. */
export async function mongodSpec(file: string, { folder, environment }: ServerContext): Promise<ProcessSpec> {
  const freePort = await findFreePort();
  return {
    name: "store",
    readyWithinMs: 60_000,
    command: (port = freePort) => ({
      file,
      args: [
        ...["--dbpath", folder.store, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
        ...["--wiredTigerCacheSizeGB", "0.5"],
      ],
      cwd: folder.root,
      environment,
    }),
    ready: (launched, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("No longer waiting for mongod")), { once: true });
        launched.onLine((line) => {
          if (line.includes("Waiting for connections")) resolve(freePort);
        });
      }),
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
