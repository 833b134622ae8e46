import type { Environment } from "@antler/contracts";
import { connectBackends, createKinds, startReconciler } from "@antler/delivery";
import { announceReady, newRunnerId, startProcess } from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";

import { buildApp } from "./app.ts";
import { createHttpDrain } from "./drain-http.ts";
import { gatewayAccess } from "./gateway-access.ts";
import { assertLoopback, listen } from "./listen.ts";
import { createOpenResponses } from "./stream/open-responses.ts";

const NAME = "gateway";

/** Starts the gateway: backends, HTTP server and reconciler, and what a drain does with them. */
export async function startGateway(environment: Environment): Promise<void> {
  const { config, logger, lifecycle } = await startProcess(NAME, environment);
  assertLoopback(config.http);
  const backends = await connectBackends({ config, logger, lifecycle, name: NAME });
  const workspaces = await createWorkspaces({ root: config.sandbox.workspaces_dir, config: config.sandbox, logger });
  const deps = { ...backends, config, logger, workspaces };
  const open = createOpenResponses();
  const app = await buildApp(gatewayAccess(deps), open);
  const noticeMs = config.http.drain_notice_seconds * 1000;
  const drainHttp = createHttpDrain({ app, open, noticeMs });
  const httpPort = await listen(app, config.http);
  const reconciler = startReconciler({ ...deps, ...createKinds(deps), holder: newRunnerId() });

  lifecycle.onDrain("http", drainHttp);
  lifecycle.onClose("reconciler", () => reconciler.stop());
  lifecycle.onClose("workspaces", () => workspaces.close());
  lifecycle.onClose("bus", () => deps.bus.close());
  lifecycle.onClose("store", () => deps.store.close());
  lifecycle.markReady();
  announceReady(logger, { httpPort });
}
