import { type Config, configWarnings, type Environment } from "@antler/contracts";

import { loadConfig } from "./config-file.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createLogger, type Logger } from "./logger.ts";
import { watchParent } from "./watch-parent.ts";

export interface ServiceProcess {
  readonly config: Config;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/**
 * What every service begins with: configuration, whose parts without effect are logged, logger and lifecycle. With `ANTLER_PARENT_PID` the service drains once
 * that process is gone.
 * @throws AntlerError `config_invalid`.
 */
export async function startProcess(service: string, environment: Environment): Promise<ServiceProcess> {
  const config = await loadConfig({ environment });
  const logger = createLogger({ service, level: config.logging.level });
  for (const warning of configWarnings(config)) logger.warn({}, warning);
  const lifecycle = createLifecycle({ logger, graceMs: config.delivery.drain_grace_seconds * 1000 });
  const parent = environment["ANTLER_PARENT_PID"] ?? "";
  if (parent !== "") watchParent(Number(parent), () => lifecycle.drain("the parent process is gone"));
  return { config, logger, lifecycle };
}
