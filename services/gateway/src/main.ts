import { connectBackends, createKinds, startReconciler } from "@antler/delivery";
import { announceReady, newRunnerId, runMain, startProcess } from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";

import { buildApp } from "./app.ts";
import { gatewayAccess } from "./gateway-access.ts";
import { assertLoopback, listen } from "./listen.ts";

const NAME = "gateway";

runMain(async () => {
  const { config, logger, lifecycle } = await startProcess(NAME, process.env);
  assertLoopback(config.http);
  const backends = await connectBackends({ config, logger, lifecycle, name: NAME });
  const workspaces = await createWorkspaces({ root: config.sandbox.workspaces_dir, config: config.sandbox, logger });
  const deps = { ...backends, config, logger, workspaces };
  const app = await buildApp(gatewayAccess(deps));
  const httpPort = await listen(app, config.http);
  const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: newRunnerId() });

  lifecycle.onDrain("http", () => app.close());
  lifecycle.onDrain("reconciler", () => reconciler.stop());
  lifecycle.onDrain("workspaces", () => workspaces.close());
  lifecycle.onDrain("bus", () => deps.bus.close());
  lifecycle.onDrain("store", () => deps.store.close());
  lifecycle.markReady();
  announceReady(logger, { httpPort });
});
