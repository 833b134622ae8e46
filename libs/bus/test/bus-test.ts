import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";

import { durablesOf, type DurableSpec, PoolsConfig, STREAMS, type TaskTicket } from "@antler/contracts";
import { createLogger, newId, newTraceContext } from "@antler/platform";

import { type NatsServer, startNats } from "../../../test/harness/nats.ts";
import { type Bus, connectBus, type Delivery, type Exclusive, type PullTiming } from "../src/index.ts";

export const GENERAL = "tasks.general.interactive";
/** Every process of a test holds every name: no other one competes. */
export const alone: Exclusive = (_name, work) => work();
export const silent = createLogger({ service: "test", level: "fatal", destination: { write: () => undefined } });

interface Admin {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
}

export interface TestServer extends AsyncDisposable {
  readonly nats: NatsServer;
  /** A new connection to the server. */
  readonly openBus: (options?: { readonly pull?: PullTiming }) => Promise<Bus>;
  /** The server seen with the plain client. */
  readonly admin: Admin;
}

/** A server of its own for a test; all that was opened on it closes at the end of `await using`. */
export async function startTestServer(): Promise<TestServer> {
  const nats = await startNats();
  const opened: Bus[] = [];
  const openBus: TestServer["openBus"] = async (options = {}) => {
    const bus = await connectBus({ url: nats.url, name: "test", logger: silent, ...options });
    opened.push(bus);
    return bus;
  };
  const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  const admin = { connection, manager: await jetstreamManager(connection) };
  const close = async () => {
    await Promise.all([...opened.map((bus) => bus.close()), connection.close()]);
    await nats.stop();
  };
  return { nats, openBus, admin, [Symbol.asyncDispose]: close };
}

/** All durables of the default pools; `interactive` is the concurrency of the general pool. */
export function durables(interactive = 8, ackWaitMs = 15_000): readonly DurableSpec[] {
  return durablesOf(PoolsConfig.parse({ general: { concurrency: { interactive } } }), ackWaitMs);
}

export function generalDurable(interactive = 8, ackWaitMs = 15_000): DurableSpec {
  return durables(interactive, ackWaitMs).find(({ name }) => name === "general_interactive")!;
}

export function ensure(bus: Bus, specs: readonly DurableSpec[] = durables()): Promise<void> {
  return bus.ensureTopology(STREAMS, specs, alone);
}

export function taskTicket(dispatch = 1): TaskTicket {
  return { kind: "task", version: 1, id: newId(), run_id: newId(), dispatch, round: 0 };
}

export async function publishTasks(bus: Bus, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await bus.publishTicket(GENERAL, taskTicket(), newTraceContext());
}

/** A handler whose deliveries go on until the test releases them. */
export function createHeldWork() {
  const held: { delivery: Delivery; finish: () => void }[] = [];
  let started = 0;
  const handle = async (delivery: Delivery): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const entry = {
      delivery,
      finish: () => {
        resolve(undefined);
      },
    };
    started += 1;
    held.push(entry);
    await promise;
    held.splice(held.indexOf(entry), 1);
    await delivery.ack();
  };
  return {
    handle,
    held,
    get started() {
      return started;
    },
  };
}
