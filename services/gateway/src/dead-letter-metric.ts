import { messageOf, STREAMS } from "@antler/contracts";
import { withDeadline } from "@antler/platform";

import type { GatewayDeps } from "./gateway-deps.ts";

/** Longest time that a scrape waits for the store. */
const COUNT_LIMIT_MS = 1000;

/** The gauge of dead letters by stream in Prometheus' text format; empty while the store does not answer. */
export async function deadLetterMetric(deps: Pick<GatewayDeps, "deadLetters" | "logger">): Promise<string> {
  try {
    const lines = await withDeadline(() => Promise.all(STREAMS.map(({ name }) => lineOf(deps, name))), COUNT_LIMIT_MS);
    return [...HEAD, ...lines, ""].join("\n");
  } catch (error) {
    deps.logger.debug({ err: messageOf(error) }, "Dead letters could not be counted");
    return "";
  }
}

const HEAD = [
  "# HELP antler_dead_letters Dead letters that nobody has retried or discarded, by stream",
  "# TYPE antler_dead_letters gauge",
];

async function lineOf({ deadLetters }: Pick<GatewayDeps, "deadLetters">, stream: string): Promise<string> {
  return `antler_dead_letters{stream="${stream}"} ${await deadLetters.countOpen(stream)}`;
}
