import { isAntlerError, messageOf } from "@antler/contracts";
import { delay, type Logger } from "@antler/platform";

const RETRY_DELAY_MS = 300;

/** Repeats a call while the store does not answer, for as long as it is of use. Throws what the last try threw. */
export async function throughOutage<T>(call: () => Promise<T>, isOfUse: () => boolean, logger: Logger): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isAntlerError(error, "store_unavailable") || !isOfUse()) throw error;
      logger.warn({ err: messageOf(error) }, "Store does not answer; the call is repeated");
      await delay(RETRY_DELAY_MS);
    }
  }
}
