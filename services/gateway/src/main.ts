import { connectBus } from "@antler/bus";
import { type Config, durablesOf, STREAMS } from "@antler/contracts";
import { createKinds, startReconciler } from "@antler/delivery";
import {
  announceReady,
  createLifecycle,
  createLogger,
  type Lifecycle,
  loadConfig,
  type Logger,
  newRunnerId,
  runMain,
} from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";
import { connectStore } from "@antler/store";

import { buildApp } from "./app.ts";
import { type AccessDeps, gatewayAccess } from "./gateway-access.ts";
import { assertLoopback, listen } from "./listen.ts";

runMain(async () => {
  const config = await loadConfig({ environment: process.env });
  assertLoopback(config.http);
  const logger = createLogger({ service: "gateway", level: config.logging.level });
  const lifecycle = createLifecycle({ logger, graceMs: config.delivery.drain_grace_seconds * 1000 });
  const deps = await connect(config, logger, lifecycle);
  const app = await buildApp(gatewayAccess(deps));
  const httpPort = await listen(app, config.http);
  const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: newRunnerId() });

  lifecycle.onDrain("http", () => app.close());
  lifecycle.onDrain("reconciler", () => reconciler.stop());
  lifecycle.onDrain("bus", () => deps.bus.close());
  lifecycle.onDrain("store", () => deps.store.close());
  lifecycle.markReady();
  announceReady(logger, { httpPort });
});

/** Opens what the gateway stands on: the store with its indexes, the bus with its streams, the workspaces. */
async function connect(config: Config, logger: Logger, lifecycle: Lifecycle): Promise<AccessDeps> {
  const store = await connectStore({ ...config.mongodb, logger });
  await store.migrate();
  const bus = await connectBus({ url: config.nats.url, name: "antler-gateway", logger, signal: lifecycle.draining });
  const durables = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000);
  await bus.ensureTopology(STREAMS, durables, (name, work) => store.leases.exclusive(name, work));
  const workspaces = await createWorkspaces({ root: config.sandbox.workspaces_dir, config: config.sandbox, logger });
  const readiness = () => {
    const { ready, reasons } = bus.health();
    return lifecycle.isReady
      ? { ready, reasons }
      : { ready: false, reasons: [`process is ${lifecycle.state}`, ...reasons] };
  };
  return { store, bus, config, logger, workspaces, readiness };
}
