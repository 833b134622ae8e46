import { join } from "node:path";

import { reportStep } from "../report-step.ts";
import { endLeftovers } from "../supervisor/leftovers.ts";
import { createSupervisor, type Supervisor } from "../supervisor/supervisor.ts";
import { type PreparedTools, prepareTools } from "../tools/prepare-tools.ts";
import { defaultServices, serviceSpec } from "./service-specs.ts";
import { layOut, openFolder, type StackFolder } from "./stack-folder.ts";
import type { Stack, StackOptions } from "./stack-options.ts";
import { namesOfOwnServers, type Servers, startServers } from "./start-servers.ts";

const defaultDrainMs = 90_000;
const serverStopMs = 10_000;

/**
 * Starts NATS, the document store and the services as processes of their own, and keeps them running.
 *
 * @throws SetupError when something on this machine is missing, taken or broken; nothing is left running then.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = layOut(options.folder ?? join(options.root, ".antler"));
  const lock = openFolder(folder);
  const supervisor = superviseIn(folder, options);
  const close = (): void => {
    supervisor.close();
    lock.release();
  };
  try {
    await endLeftovers(recordPath(folder));
    const tools = await prepareTools(toolContext(folder, options));
    options.signal?.throwIfAborted();
    const servers = await launchServers({ folder, options, supervisor }, tools);
    const url = await launchServices({ folder, options, supervisor }, tools, servers);
    lock.describe({ url });
    const { natsUrl, mongoUrl, standIn } = servers;
    return {
      ...{ url, natsUrl, mongoUrl, isModelReplayed: standIn !== undefined, missingSandbox: tools.missing.bubblewrap },
      ...control(supervisor, options, close),
    };
  } catch (error) {
    supervisor.kill();
    close();
    throw error;
  }
}

interface Start {
  readonly folder: StackFolder;
  readonly options: StackOptions;
  readonly supervisor: Supervisor;
}

function recordPath(folder: StackFolder): string {
  return join(folder.run, "processes.json");
}

function superviseIn(folder: StackFolder, { verbose, say, signal }: StackOptions): Supervisor {
  return createSupervisor({
    logFolder: folder.logs,
    recordPath: recordPath(folder),
    sayOutput: verbose === true ? say : undefined,
    signal: signal ?? new AbortController().signal,
  });
}

function toolContext(folder: StackFolder, { environment, say }: StackOptions) {
  const isRoot = process.getuid?.() === 0;
  return { environment, platform: process.platform, isRoot, folder: folder.packages, say };
}

function launchServers({ folder, options, supervisor }: Start, tools: PreparedTools): Promise<Servers> {
  const { root, environment, modelStandIn = {}, say } = options;
  const context = { root, folder, environment: common(folder, environment) };
  const start = () => startServers(supervisor, context, { tools, modelStandIn });
  const names = namesOfOwnServers(context);
  return names.length === 0 ? start() : reportStep(say, `starting ${names.join(" and ")}`, start);
}

/** Starts the services at the same time. Returns the gateway's URL. */
async function launchServices(start: Start, tools: PreparedTools, servers: Servers): Promise<string> {
  const { options, supervisor } = start;
  const { root, port = 0, services = defaultServices, say } = options;
  const environment = serviceEnvironment(start, tools, servers);
  const names = services.map((service) => service.name);
  const ports = await reportStep(say, `starting ${names.join(", ")}`, () =>
    Promise.all(services.map((service) => supervisor.start(serviceSpec(service, { root, environment, port })))),
  );
  return `http://127.0.0.1:${ports[names.indexOf("gateway")] ?? 0}`;
}

function serviceEnvironment({ folder, options }: Start, tools: PreparedTools, servers: Servers): NodeJS.ProcessEnv {
  const { environment, root, configPath } = options;
  return {
    ...common(folder, environment),
    ...servers.standIn,
    PATH: tools.searchPath,
    NATS_URL: servers.natsUrl,
    MONGODB_URL: servers.mongoUrl,
    ANTLER_CONFIG: configPath ?? environment["ANTLER_CONFIG"] ?? join(root, "antler.yaml"),
    ANTLER_HTTP_HOST: "127.0.0.1",
    ANTLER_HEALTH_HOST: "127.0.0.1",
    ANTLER_HEALTH_PORT: "0",
    ANTLER_WORKSPACES_DIR: folder.workspaces,
  };
}

/** What every process is told: whose death ends it, and where Node keeps compiled code for a quick start. */
function common(folder: StackFolder, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...environment, ANTLER_PARENT_PID: String(process.pid), NODE_COMPILE_CACHE: folder.cache };
}

/** Services drain before the servers that they need go away. */
function control(supervisor: Supervisor, options: StackOptions, close: () => void) {
  const { services = defaultServices, drainMs = defaultDrainMs } = options;
  const serviceNames = services.map((service) => service.name);
  let stopped: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    await supervisor.stop(serviceNames, drainMs);
    await supervisor.stop(
      supervisor.snapshots().map((running) => running.name),
      serverStopMs,
    );
    close();
  };
  return {
    processes: () => supervisor.snapshots(),
    stop: () => (stopped ??= stopOnce()),
    kill: () => {
      supervisor.kill();
      close();
    },
  };
}
