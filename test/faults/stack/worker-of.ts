import { expect } from "vitest";

import type { ServiceProcess } from "../../harness/service-process.ts";
import type { FaultStack } from "./fault-stack.ts";

/** The process that leads the run. */
export async function leadOf({ deps, fleet }: FaultStack, runId: string): Promise<ServiceProcess> {
  return fleet.byPid((await deps.store.runs.get(runId))?.claim?.pid);
}

/** The process that works on the run's first task. */
export async function taskWorkerOf({ deps, fleet }: FaultStack, runId: string): Promise<ServiceProcess> {
  const [task] = await deps.store.tasks.listByRun(runId);
  return fleet.byPid(task?.claim?.pid);
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
