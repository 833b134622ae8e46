import type { Bus } from "@antler/bus";
import { type Config, type Environment, parseConfig } from "@antler/contracts";
import { connectBackends, type DeliveryDeps, type RunRequest } from "@antler/delivery";
import { createLogger, newId, newTraceContext } from "@antler/platform";
import type { Store } from "@antler/store";

import { type MongoServer, startMongo } from "./mongo.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { anIdentity } from "./rows.ts";

/** Real servers and connections for tests of delivery; each `connect` is a process of its own as far as they can tell. */
export interface DeliveryStack {
  readonly nats: NatsServer;
  readonly config: Config;
  /** Where the ledgers lie. */
  readonly database: { readonly url: string; readonly name: string };
  /** A store and a bus of their own, closed with the stack. */
  connect(): Promise<DeliveryDeps>;
  stop(): Promise<void>;
}

/** Delivery with short times, so that a test of an expiry takes a second. */
const FAST = {
  delivery: { ack_wait_seconds: 2, lease_seconds: 1.6, renewal_seconds: 0.4, reconcile_seconds: 0.1 },
  sandbox: { command_timeout_seconds: 60 },
};

export async function startDeliveryStack(
  document: object = FAST,
  environment: Environment = {},
): Promise<DeliveryStack> {
  const [nats, mongo] = await Promise.all([startNats(), startMongo()]);
  const config = parseConfig(document, environment);
  const database = mongo.newDatabase();
  const open: { bus: Bus; store: Store }[] = [];
  const connect = async () => {
    const deps = await connectDeps({ nats, mongo, config, database });
    open.push(deps);
    return deps;
  };
  return {
    nats,
    config,
    database: { url: mongo.url, name: database },
    connect,
    async stop() {
      await Promise.all(open.map(({ bus }) => bus.close()));
      await Promise.all(open.map(({ store }) => store.close()));
      await Promise.all([nats.stop(), mongo.stop()]);
    },
  };
}

export interface Servers {
  readonly nats: Pick<NatsServer, "url">;
  readonly mongo: Pick<MongoServer, "url">;
  readonly config: Config;
  readonly database: string;
}

export async function connectDeps({ nats, mongo, config, database }: Servers): Promise<DeliveryDeps> {
  const logger = createLogger({ service: "test", level: process.env["TEST_LOG"] === undefined ? "fatal" : "debug" });
  const located = { ...config, nats: { url: nats.url }, mongodb: { url: mongo.url, database } };
  const { store, bus } = await connectBackends({ config: located, logger, name: "test" });
  return { store, bus, config, logger };
}

export function aRunRequest(given: Partial<RunRequest> = {}): RunRequest {
  return {
    _id: newId(),
    tenant_id: "default",
    thread_id: newId(),
    lane: "interactive",
    trace: newTraceContext(),
    assistant_id: "lead",
    identity: anIdentity(),
    input: { messages: [{ role: "user", content: "hello" }] },
    context: {},
    config: {},
    metadata: {},
    stream_modes: ["values"],
    stream_subgraphs: false,
    on_disconnect: "continue",
    ...given,
  };
}
