import { delay } from "@antler/platform";

import type { GatewayApp } from "./http/gateway-app.ts";
import { countRequests } from "./open-requests.ts";
import type { OpenResponses } from "./stream/open-responses.ts";

export interface DrainHttpOptions {
  readonly app: GatewayApp;
  readonly open: OpenResponses;
  /** How long it goes on serving, no longer ready, so that load balancers and clients with open connections notice. */
  readonly noticeMs: number;
}

/** Time after the cutoff for the last answers; less than a step of the drain may take then. */
const LAST_ANSWERS_MS = 2000;

/**
 * How the gateway stops serving: it serves for a while longer, then takes no connection any more and ends streams, lets
 * requests that are under way be answered until the cutoff, and ends all connections.
 */
export function createHttpDrain({ app, open, noticeMs }: DrainHttpOptions): (cutoff: AbortSignal) => Promise<void> {
  const requests = countRequests(app.server);
  return async (cutoff) => {
    open.leave(cutoff);
    await delay(noticeMs, cutoff).catch(() => undefined);
    const closed = app.close();
    await requests.settled(lastAnswers(cutoff));
    app.server.closeAllConnections();
    await closed;
  };
}

/** Aborts some time after the cutoff. */
function lastAnswers(cutoff: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const arm = () => setTimeout(() => limit.abort(), LAST_ANSWERS_MS);
  if (cutoff.aborted) arm();
  else cutoff.addEventListener("abort", arm, { once: true });
  return limit.signal;
}
