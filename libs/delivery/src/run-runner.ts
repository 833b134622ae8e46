import type { Environment } from "@antler/contracts";
import { announceReady, newRunnerId, startHealthServer, startProcess } from "@antler/platform";

import { connectBackends } from "./connect-backends.ts";
import type { DeliveryDeps } from "./delivery-deps.ts";
import type { RunnerIdentity } from "./start-workers.ts";
import type { Worker } from "./worker.ts";

export interface RunnerDeps extends DeliveryDeps {
  readonly runner: RunnerIdentity;
}

export interface StartedRunner {
  readonly worker: Worker;
  /** What the worker uses, by name; closed after it, in this order. */
  readonly resources: Readonly<Record<string, { close(): Promise<void> }>>;
}

export interface RunnerOptions {
  /** Name of the service in logs and at the bus. */
  readonly name: string;
  readonly environment: Environment;
  /** Opens what executions need and starts the worker. */
  readonly start: (deps: RunnerDeps) => Promise<StartedRunner>;
}

/** The life of a runner: backends, health server, worker, and at a drain all of them closed in the opposite order. */
export async function runRunner({ name, environment, start }: RunnerOptions): Promise<void> {
  const { config, logger, lifecycle } = await startProcess(name, environment);
  const { store, bus, readiness } = await connectBackends({ config, logger, lifecycle, name });
  const { health_host: host, health_port: port } = config.http;
  let metrics = () => "";
  const health = await startHealthServer({ host, port, isReady: readiness, metrics: () => metrics() });
  const runner = { id: newRunnerId(), pid: process.pid };
  const { worker, resources } = await start({ store, bus, config, logger, runner });
  metrics = worker.metrics;

  lifecycle.onDrain("worker", (cutoff) => worker.drain(cutoff));
  for (const [resource, opened] of Object.entries(resources)) lifecycle.onClose(resource, () => opened.close());
  lifecycle.onClose("bus", () => bus.close());
  lifecycle.onClose("store", () => store.close());
  lifecycle.onClose("health", () => health.close());
  lifecycle.markReady();
  announceReady(logger, { httpPort: health.port });
}
