import { messageOf } from "@antler/contracts";
import { delay } from "@antler/platform";

import { abortable } from "./abortable.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { busError } from "./jetstream-errors.ts";
import { ensureTopology, type Exclusive, type TopologyDeps, type TopologySpec } from "./topology.ts";

/** Keeps streams and consumers in being as long as the bus is open. */
export interface TopologyKeeper {
  /** Creates what is missing, once, and remembers it for later repairs. */
  ensure(spec: TopologySpec, exclusive: Exclusive): Promise<void>;
  /** Looks through everything remembered until it is in order; one repair at a time, shared by all who ask. */
  repair(reason: string): Promise<void>;
  /** Resolves once the connection stands and no repair is under way. */
  usable(signal: AbortSignal): Promise<void>;
  /** Why tickets cannot flow at present. */
  readonly fault: string | undefined;
}

/** A server that deletes a stream goes on removing its files for a while, also those of one made anew meanwhile. */
const SETTLE_MS = 1000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;

interface Remembered {
  readonly exclusive: Exclusive;
  readonly spec: TopologySpec;
}

export interface TopologyKeeperDeps extends TopologyDeps {
  readonly watch: ConnectionWatch;
  readonly closing: AbortSignal;
  /** Called when streams or consumers may have been made anew. */
  readonly onRepair: () => void;
}

export function createTopologyKeeper(deps: TopologyKeeperDeps): TopologyKeeper {
  const { watch, closing } = deps;
  let remembered: Remembered | undefined;
  let repairing: Promise<void> | undefined;
  let fault: string | undefined;

  const check = async () => {
    if (remembered === undefined) return;
    await ensureTopology(deps, remembered.spec, remembered.exclusive);
  };
  /** An attempt ends with its connection: what it has seen need not hold on the next one. */
  const attempt = async (reason: string): Promise<boolean> => {
    try {
      await watch.connected(closing);
      await abortable(check(), watch.session);
      fault = undefined;
    } catch (error) {
      if (closing.aborted) return true;
      fault = messageOf(error);
      deps.logger.warn({ err: error, reason }, "Streams and consumers are not in order");
    }
    return fault === undefined;
  };
  const checkUntilDone = async (reason: string) => {
    for (let pauseMs = MIN_PAUSE_MS; !(await attempt(reason)); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS))
      await delay(pauseMs, closing).catch(() => undefined);
  };
  const begin = (reason: string, pauseMs: number) => {
    const work = async () => {
      await delay(pauseMs, closing).catch(() => undefined);
      await checkUntilDone(reason);
      deps.onRepair();
    };
    repairing ??= work().finally(() => (repairing = undefined));
    return repairing;
  };
  watch.onChange((isConnected) => {
    if (isConnected) void begin("reconnected", 0);
  });

  return {
    ensure: async (spec, exclusive) => {
      try {
        await ensureTopology(deps, spec, exclusive);
      } catch (error) {
        throw busError("Streams and consumers cannot be created", error);
      }
      remembered = { spec: merge(remembered?.spec, spec), exclusive };
    },
    repair: (reason) => begin(reason, SETTLE_MS),
    usable: async (signal) => {
      await watch.connected(signal);
      if (repairing !== undefined) await abortable(repairing, signal);
    },
    get fault() {
      return fault;
    },
  };
}

function merge(known: TopologySpec | undefined, added: TopologySpec): TopologySpec {
  const byName = <T extends { name: string }>(items: readonly T[]) => [
    ...new Map(items.map((item) => [item.name, item])).values(),
  ];
  return {
    streams: byName([...(known?.streams ?? []), ...added.streams]),
    durables: byName([...(known?.durables ?? []), ...added.durables]),
  };
}
