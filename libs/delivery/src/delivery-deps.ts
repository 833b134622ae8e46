import type { Bus } from "@antler/bus";
import type { Config, NewRunEvent } from "@antler/contracts";
import type { Logger } from "@antler/platform";
import type { Store } from "@antler/store";

/** What every part of delivery works on. */
export interface DeliveryDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly config: Config;
  readonly logger: Logger;
}

export interface LogAddress {
  readonly runId: string;
  readonly threadId: string;
}

/** Appends events to a run's log and signals them. */
export type AppendEvents = (address: LogAddress, events: readonly NewRunEvent[]) => Promise<void>;
