import { isAntlerError, messageOf, type UsageRecord } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";
import type { Store } from "@antler/store";

import type { Lease } from "./lease.ts";

export interface UsageWriterDeps {
  readonly store: { readonly usage: Pick<Store["usage"], "record"> };
  readonly logger: Logger;
}

/** Records the model calls of one execution. */
export interface UsageWriter {
  /** Tries again while the store does not answer and the lease is held. @throws the lease's abort reason after that. */
  record(records: readonly UsageRecord[]): Promise<void>;
}

const RETRY_AFTER_MS = 300;

/** A call that was made is counted, also when the store is away just then: giving up would mean to make it again. */
export function createUsageWriter({ store, logger }: UsageWriterDeps, { signal }: Pick<Lease, "signal">): UsageWriter {
  return {
    async record(records) {
      for (;;) {
        try {
          await store.usage.record(records);
          return;
        } catch (error) {
          if (!isAntlerError(error, "store_unavailable")) throw error;
          logger.warn({ keys: records.map(({ key }) => key), err: messageOf(error) }, "Usage will be recorded again");
        }
        await delay(RETRY_AFTER_MS, signal);
      }
    },
  };
}
