import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseConfig } from "@antler/contracts";
import type { DeliveryDeps } from "@antler/delivery";

import { connectDeps } from "../../harness/delivery-stack.ts";
import { type GatewayClient, gatewayClient } from "../../harness/gateway-client.ts";
import { startNats } from "../../harness/nats.ts";
import { type ServiceProcess, startService } from "../../harness/service-process.ts";
import { type Measured, measureProcess, probedEnvironment } from "./measured-process.ts";
import { startStoreServer } from "./store-server.ts";

/** A gateway whose memory can be looked at, real servers, and nobody who takes its runs. */
export interface MeasuredGateway {
  readonly service: ServiceProcess;
  readonly client: GatewayClient;
  readonly deps: DeliveryDeps;
  /** The document store's; the size of the pool of connections to it says nothing of clients. */
  readonly storePort: number;
  measure(): Promise<Measured>;
  /** Subscriptions of all connections to the bus. */
  subscriptions(): Promise<number>;
  stop(): Promise<void>;
}

export async function startMeasuredGateway(): Promise<MeasuredGateway> {
  const directory = await mkdtemp(join(tmpdir(), "antler-memory-"));
  const [nats, store] = await Promise.all([startNats(), startStoreServer(join(directory, "store"))]);
  const mongo = { url: `mongodb://127.0.0.1:${store.port}/?directConnection=true` };
  const probe = join(directory, "probe");
  const database = "antler_memory";
  const environment = {
    ...probedEnvironment(probe),
    PATH: process.env["PATH"],
    NATS_URL: nats.url,
    MONGODB_URL: mongo.url,
    ANTLER_DATABASE: database,
    ANTLER_HTTP_PORT: "0",
    ANTLER_WORKSPACES_DIR: join(directory, "workspaces"),
    ANTLER_PARENT_PID: String(process.pid),
    OPENAI_API_KEY: "none",
    OPENAI_MODEL: "scripted",
  };
  const service = await startService("gateway", environment);
  const deps = await connectDeps({ nats, mongo, database, config: parseConfig({}, environment) });
  return {
    ...{ service, deps, storePort: store.port },
    client: gatewayClient(`http://127.0.0.1:${service.port}`),
    measure: () => measureProcess(probe),
    subscriptions: () => subscriptionsOf(nats.monitorUrl),
    async stop() {
      service.kill("SIGKILL");
      await service.exited;
      await Promise.all([deps.bus.close(), deps.store.close()]);
      await Promise.all([nats.stop(), store.kill()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function subscriptionsOf(monitorUrl: string): Promise<number> {
  const { connections } = (await (await fetch(`${monitorUrl}/connz`)).json()) as {
    connections: readonly { readonly subscriptions: number }[];
  };
  return connections.reduce((sum, connection) => sum + connection.subscriptions, 0);
}
