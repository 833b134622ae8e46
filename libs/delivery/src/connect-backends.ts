import { type Bus, connectBus } from "@antler/bus";
import { type Config, durablesOf, STREAMS } from "@antler/contracts";
import type { Lifecycle, Logger, Readiness } from "@antler/platform";
import { connectStore, type Store } from "@antler/store";

export interface BackendsOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** A drain cuts waiting for the bus short, and a process that is not ready makes the backends not ready. */
  readonly lifecycle?: Pick<Lifecycle, "draining" | "isReady" | "state">;
  /** Name of the client at the bus. */
  readonly name: string;
}

export interface Backends {
  readonly store: Store;
  readonly bus: Bus;
  /** Cached state of process and bus. */
  readonly readiness: () => Readiness;
}

/**
 * Opens what delivery stands on: the store with its indexes, the bus with its streams and durables. Both are the
 * caller's to close.
 * @throws AntlerError `store_unavailable`, `bus_unavailable`, `topology_conflict`, or the drain's reason.
 */
export async function connectBackends({ config, logger, lifecycle, name }: BackendsOptions): Promise<Backends> {
  const signal = lifecycle?.draining;
  const store = await connectStore({ ...config.mongodb, logger });
  await store.migrate();
  const bus = await connectBus({ url: config.nats.url, name, logger, ...(signal !== undefined && { signal }) });
  const durables = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000);
  await bus.ensureTopology(STREAMS, durables, (lease, work) => store.leases.exclusive(lease, work));
  return { store, bus, readiness: () => readinessOf(bus, lifecycle) };
}

function readinessOf(bus: Bus, lifecycle: BackendsOptions["lifecycle"]): Readiness {
  const { ready, reasons } = bus.health();
  if (lifecycle === undefined || lifecycle.isReady) return { ready, reasons };
  return { ready: false, reasons: [`process is ${lifecycle.state}`, ...reasons] };
}
