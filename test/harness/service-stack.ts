import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseConfig } from "@antler/contracts";
import type { DeliveryDeps } from "@antler/delivery";

import { connectDeps } from "./delivery-stack.ts";
import { type ModelAnswer, type ModelRequest, type ModelServer, startModelServer } from "./model-server.ts";
import { startMongo } from "./mongo.ts";
import { type NatsOptions, startNats } from "./nats.ts";
import { type ServiceName, type ServiceProcess, startService } from "./service-process.ts";

export interface ServiceStackOptions {
  /** Configuration as in antler.yaml; of the model server's base URL where it names models. */
  readonly document?: object | ((modelBaseUrl: string) => object);
  /** How many processes of each service; one gateway, one lead-runner and two subagent-runners without it. */
  readonly services?: Partial<Record<ServiceName, number>>;
  /** How the bus is started. */
  readonly nats?: NatsOptions;
  /** Added to the environment of each service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The model's answer to each request; it may wait. */
  answer(request: ModelRequest, index: number): ModelAnswer | Promise<ModelAnswer>;
}

/** A whole Antler: real servers, each service a process of its own, a model that answers as the test says. */
export interface ServiceStack {
  /** Base URL of the first gateway. */
  readonly url: string;
  readonly model: ModelServer;
  /** A connection of the test's own, to look at ledgers, log and bus. */
  readonly deps: DeliveryDeps;
  readonly workspacesDir: string;
  /** Where the ledgers lie. */
  readonly database: { readonly url: string; readonly name: string };
  /** What each service gets as its environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly processes: readonly ServiceProcess[];
  start(name: ServiceName): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

export async function startServiceStack(options: ServiceStackOptions): Promise<ServiceStack> {
  const [nats, mongo, model, directory] = await Promise.all([
    startNats(options.nats),
    startMongo(),
    startModelServer((request, index) => options.answer(request, index)),
    mkdtemp(join(tmpdir(), "antler-stack-")),
  ]);
  const { document: given = {} } = options;
  const document = typeof given === "function" ? (given as (url: string) => object)(model.baseUrl) : given;
  const database = mongo.newDatabase();
  const workspacesDir = join(directory, "workspaces");
  const configPath = join(directory, "antler.yaml");
  await writeFile(configPath, JSON.stringify(document));
  const environment = {
    PATH: process.env["PATH"],
    ANTLER_CONFIG: configPath,
    NATS_URL: nats.url,
    MONGODB_URL: mongo.url,
    ANTLER_DATABASE: database,
    ANTLER_HTTP_PORT: "0",
    ANTLER_WORKSPACES_DIR: workspacesDir,
    ANTLER_PARENT_PID: String(process.pid),
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "none",
    OPENAI_MODEL: "scripted",
    ...options.environment,
  };
  const deps = await connectDeps({ nats, mongo, database, config: parseConfig(document, environment) });
  const processes: ServiceProcess[] = [];
  const start = async (name: ServiceName) => {
    const service = await startService(name, environment);
    processes.push(service);
    return service;
  };
  const counts = { gateway: 1, "lead-runner": 1, "subagent-runner": 2, ...options.services };
  const names = Object.entries(counts).flatMap(([name, count]) => Array.from({ length: count }, () => name));
  await Promise.all(names.map((name) => start(name as ServiceName)));
  return {
    url: `http://127.0.0.1:${processes.find(({ name }) => name === "gateway")?.port ?? 0}`,
    model,
    deps,
    workspacesDir,
    database: { url: mongo.url, name: database },
    environment,
    processes,
    start,
    async stop() {
      for (const service of processes) service.kill("SIGKILL");
      await Promise.all(processes.map(({ exited }) => exited));
      await deps.bus.close();
      await deps.store.close();
      await Promise.all([nats.stop(), mongo.stop(), model[Symbol.asyncDispose]()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
