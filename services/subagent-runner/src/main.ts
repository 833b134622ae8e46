import { createModels } from "@antler/agent";
import { connectBus } from "@antler/bus";
import { durablesOf, STREAMS } from "@antler/contracts";
import {
  announceReady,
  createLifecycle,
  createLogger,
  loadConfig,
  newRunnerId,
  runMain,
  startHealthServer,
  watchParent,
} from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";
import { connectStore } from "@antler/store";

import { startSubagentRunner } from "./app.ts";
import { taskPools } from "./task-pools.ts";

const SERVICE = "subagent-runner";

runMain(async () => {
  const environment = process.env;
  const config = await loadConfig({ environment });
  const pools = taskPools(config, environment["ANTLER_POOLS"]);
  const logger = createLogger({ service: SERVICE, level: config.logging.level });
  const lifecycle = createLifecycle({ logger, graceMs: config.delivery.drain_grace_seconds * 1000 });
  const parent = environment["ANTLER_PARENT_PID"];
  if (parent !== undefined) watchParent(Number(parent), () => lifecycle.drain("the parent process is gone"));

  const store = await connectStore({ ...config.mongodb, logger });
  await store.migrate();
  const bus = await connectBus({ url: config.nats.url, name: SERVICE, logger, signal: lifecycle.draining });
  const durables = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000);
  await bus.ensureTopology(STREAMS, durables, (name, work) => store.leases.exclusive(name, work));
  const workspaces = await createWorkspaces({
    root: config.sandbox.workspaces_dir,
    config: config.sandbox,
    logger,
    environment,
  });

  const isReady = () => {
    const { ready, reasons } = bus.health();
    return { ready: ready && lifecycle.isReady, reasons: lifecycle.isReady ? reasons : [lifecycle.state, ...reasons] };
  };
  const { health_host: host, health_port: port } = config.http;
  const health = await startHealthServer({ host, port, isReady });
  const models = createModels(config, environment);
  const runner = { id: newRunnerId(), pid: process.pid };
  const worker = startSubagentRunner({ store, bus, config, logger, workspaces, models, runner, pools });

  lifecycle.onDrain("worker", (cutoff) => worker.drain(cutoff));
  lifecycle.onDrain("models", () => models.close());
  lifecycle.onDrain("bus", () => bus.close());
  lifecycle.onDrain("store", () => store.close());
  lifecycle.onDrain("health", () => health.close());
  lifecycle.markReady();
  announceReady(logger, { httpPort: health.port });
});
