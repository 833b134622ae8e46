import { readdir, readFile, readlink } from "node:fs/promises";

import { expect } from "vitest";

import type { ServiceProcess } from "../../harness/service-process.ts";
import type { FaultStack } from "./fault-stack.ts";
import type { ClientPorts } from "./tcp-tap.ts";

/** The process that leads the run. */
export async function leadOf({ deps, fleet }: FaultStack, runId: string): Promise<ServiceProcess> {
  return fleet.byPid((await deps.store.runs.get(runId))?.claim?.pid);
}

/** The process that works on the run's first task. */
export async function taskWorkerOf({ deps, fleet }: FaultStack, runId: string): Promise<ServiceProcess> {
  const [task] = await deps.store.tasks.listByRun(runId);
  return fleet.byPid(task?.claim?.pid);
}

/** The process that holds the client's end of a connection; it is found in what Linux tells of sockets. */
export async function processAt({ fleet }: FaultStack, ports: ClientPorts): Promise<ServiceProcess> {
  const inode = await socketInode(ports);
  for (const service of SERVICES.flatMap((name) => fleet.of(name)))
    if (await holdsSocket(service.pid, inode)) return service;
  throw new Error(`No service is connected from port ${ports.clientPort}`);
}

const SERVICES = ["gateway", "lead-runner", "subagent-runner"] as const;

/** A port alone may stand in several rows: those of connections to other servers, and of ones that are closed. */
async function socketInode({ clientPort, tapPort }: ClientPorts): Promise<string> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const row = rows.find(
    ([, local = "", remote = ""]) => local.endsWith(hex(clientPort)) && remote.endsWith(hex(tapPort)),
  );
  return row?.[9] ?? "none";
}

function hex(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

async function holdsSocket(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => "")));
  return links.includes(`socket:[${inode}]`);
}

const TAKEOVER_LIMIT_MS = 60_000;

/** Stops a process for as long as it takes until another one has each row that it held, then lets it go on. */
export async function freezeUntil(service: ServiceProcess, taken: () => Promise<boolean>): Promise<void> {
  service.kill("SIGSTOP");
  try {
    await expect.poll(taken, { timeout: TAKEOVER_LIMIT_MS, interval: 250 }).toBe(true);
  } finally {
    service.kill("SIGCONT");
  }
}
