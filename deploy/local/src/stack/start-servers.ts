import { SetupError } from "../setup-error.ts";
import type { ProcessSpec } from "../supervisor/process-spec.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { findOnPath } from "../tools/find-on-path.ts";
import type { PreparedTools } from "../tools/prepare-tools.ts";
import { type ModelStandIn, namesProvider, standInEnvironment, standInSpec } from "./model-choice.ts";
import { embeddedStoreSpec, mongodSpec, natsSpec, type ServerContext } from "./server-specs.ts";

/** What the services need to know of the servers. */
export interface Servers {
  readonly natsUrl: string;
  readonly mongoUrl: string;
  /** Variables that point the services at the model stand-in; undefined when a provider is configured. */
  readonly standIn: Readonly<Record<string, string>> | undefined;
}

export interface ServerChoice {
  readonly tools: PreparedTools;
  readonly modelStandIn: ModelStandIn;
}

/** The servers that the environment does not name, as people call them. */
export function namesOfOwnServers(context: ServerContext): readonly string[] {
  return [
    ...(named(context, "NATS_URL") === undefined ? ["NATS"] : []),
    ...(named(context, "MONGODB_URL") === undefined ? ["the document store"] : []),
  ];
}

/** Starts, at the same time, each server that the environment does not name already. */
export async function startServers(
  supervisor: Supervisor,
  context: ServerContext,
  choice: ServerChoice,
): Promise<Servers> {
  const [natsUrl, mongoUrl, standIn] = await Promise.all([
    startNats(supervisor, context, choice.tools),
    startStore(supervisor, context),
    startStandIn(supervisor, context, choice.modelStandIn),
  ]);
  return { natsUrl, mongoUrl, standIn };
}

async function startNats(supervisor: Supervisor, context: ServerContext, tools: PreparedTools): Promise<string> {
  const given = named(context, "NATS_URL");
  if (given !== undefined) return given;
  if (tools.natsServer === undefined) {
    throw new SetupError(
      `${tools.missing.natsServer ?? "nats-server is missing"}; or set NATS_URL to a running server`,
    );
  }
  const port = await supervisor.start(natsSpec(tools.natsServer, context));
  return `nats://127.0.0.1:${port}`;
}

async function startStore(supervisor: Supervisor, context: ServerContext): Promise<string> {
  const given = named(context, "MONGODB_URL");
  if (given !== undefined) return given;
  const port = await supervisor.start(await storeSpec(context));
  return `mongodb://127.0.0.1:${port}/?directConnection=true&retryWrites=false`;
}

async function storeSpec(context: ServerContext): Promise<ProcessSpec> {
  const mongod = findOnPath("mongod", context.environment["PATH"] ?? "");
  return mongod === undefined ? embeddedStoreSpec(context) : mongodSpec(mongod, context);
}

async function startStandIn(
  supervisor: Supervisor,
  { root, environment }: ServerContext,
  standIn: ModelStandIn,
): Promise<Servers["standIn"]> {
  if (namesProvider(environment)) return undefined;
  return standInEnvironment(await supervisor.start(standInSpec(standIn, root, environment)));
}

function named({ environment }: ServerContext, variable: string): string | undefined {
  const value = environment[variable];
  return value === "" ? undefined : value;
}
