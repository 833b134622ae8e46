import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseConfig } from "@antler/contracts";
import type { DeliveryDeps } from "@antler/delivery";

import { connectDeps } from "../../harness/delivery-stack.ts";
import { type GatewayClient, gatewayClient } from "../../harness/gateway-client.ts";
import { type ModelAnswer, type ModelRequest, type ModelServer, startModelServer } from "../../harness/model-server.ts";
import { type BusServer, startBusServer } from "./bus-server.ts";
import { type Fleet, type FleetSize, type OwnEnvironment, startFleet } from "./fleet.ts";
import { startStoreServer, type StoreServer } from "./store-server.ts";
import { startTcpTap, type TcpTap } from "./tcp-tap.ts";

export type Answer = (request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>;

export interface FaultStackOptions {
  /** Configuration as in antler.yaml; all defaults without it. */
  readonly document?: (addresses: { readonly modelUrl: string }) => object;
  readonly size?: Partial<FleetSize>;
  /** Puts a server between the services and the scripted model. */
  readonly modelUrl?: (baseUrl: string) => Promise<string>;
  /** Added to the environment of single services. */
  readonly environment?: OwnEnvironment;
}

/** Real servers and services under the defaults of production, with a place for every fault. */
export interface FaultStack {
  readonly bus: BusServer;
  readonly busTap: TcpTap;
  readonly store: StoreServer;
  readonly storeTap: TcpTap;
  readonly fleet: Fleet;
  readonly model: ModelServer;
  /** Where the workspaces of all threads lie. */
  readonly workspacesDir: string;
  /** A connection of the test's own, which goes past the taps. */
  readonly deps: DeliveryDeps;
  /** A client of the gateway at this place of the fleet; 0 is the eldest. */
  client(place?: number): GatewayClient;
  /** What the model says from now on. */
  script(answer: Answer): void;
  stop(): Promise<void>;
}

const SIZE: FleetSize = { gateway: 2, "lead-runner": 2, "subagent-runner": 2 };

export async function startFaultStack(options: FaultStackOptions = {}): Promise<FaultStack> {
  const directory = await mkdtemp(join(tmpdir(), "antler-faults-"));
  let answer: Answer = () => ({ content: "There is no script." });
  const [bus, store, model] = await Promise.all([
    startBusServer(join(directory, "nats")),
    startStoreServer(join(directory, "store")),
    startModelServer((request, index) => answer(request, index)),
  ]);
  const [busTap, storeTap] = await Promise.all([startTcpTap(bus.port), startTcpTap(store.port)]);
  const modelUrl = (await options.modelUrl?.(model.baseUrl)) ?? model.baseUrl;
  const document = options.document?.({ modelUrl }) ?? {};
  const environment = {
    ...(await environmentOf(directory, document)),
    NATS_URL: `nats://127.0.0.1:${busTap.port}`,
    MONGODB_URL: `mongodb://127.0.0.1:${storeTap.port}/?directConnection=true`,
    OPENAI_BASE_URL: modelUrl,
  };
  const deps = await connectDeps({
    nats: { url: `nats://127.0.0.1:${bus.port}` },
    mongo: { url: `mongodb://127.0.0.1:${store.port}/?directConnection=true` },
    database: environment.ANTLER_DATABASE,
    config: parseConfig(document, environment),
  });
  const fleet = await startFleet({ ...SIZE, ...options.size }, environment, options.environment);
  return {
    ...{ bus, busTap, store, storeTap, fleet, model, deps, workspacesDir: environment.ANTLER_WORKSPACES_DIR },
    client: (place = 0) => gatewayClient(`http://127.0.0.1:${fleet.of("gateway")[place]?.port ?? 0}`),
    script(next) {
      answer = next;
    },
    async stop() {
      await fleet.stop();
      await deps.bus.close();
      await deps.store.close();
      await Promise.all([busTap.close(), storeTap.close(), model[Symbol.asyncDispose]()]);
      await Promise.all([bus.kill(), store.kill()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function environmentOf(directory: string, document: object) {
  const configPath = join(directory, "antler.yaml");
  await writeFile(configPath, JSON.stringify(document));
  return {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: join(tmpdir(), "antler-compile-cache"),
    ANTLER_CONFIG: configPath,
    ANTLER_DATABASE: "antler_faults",
    ANTLER_HTTP_PORT: "0",
    ANTLER_WORKSPACES_DIR: join(directory, "workspaces"),
    ANTLER_PARENT_PID: String(process.pid),
    OPENAI_API_KEY: "none",
    OPENAI_MODEL: "scripted",
  };
}
