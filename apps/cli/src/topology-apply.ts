import { connectBus } from "@antler/bus";
import { durablesOf, type Environment, STREAMS } from "@antler/contracts";
import { createLogger, loadConfig } from "@antler/platform";

import { linesOf } from "./topology-lines.ts";

export interface CommandContext {
  readonly environment: Environment;
  readonly print: (line: string) => void;
}

/**
 * Applies the configured topology to the live bus and prints what changed, a line each.
 * Errors: `config_invalid`, `bus_unavailable`, `topology_conflict`.
 */
export async function runTopologyApply({ environment, print }: CommandContext, path?: string): Promise<void> {
  const config = await loadConfig({ environment, ...(path !== undefined && { path }) });
  const logger = createLogger({ service: "cli", level: "fatal" });
  const bus = await connectBus({ url: config.nats.url, name: "cli", logger, connectTimeoutMs: 5000 });
  try {
    const durables = durablesOf(config.pools, config.delivery.ack_wait_seconds * 1000);
    for (const line of linesOf(await bus.applyTopology(STREAMS, durables))) print(line);
  } finally {
    await bus.close();
  }
}
