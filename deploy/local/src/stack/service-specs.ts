import { join } from "node:path";

import type { ProcessSpec } from "../supervisor/process-spec.ts";
import { readyByLogLine } from "../supervisor/readiness.ts";

/** One service process of the stack. */
export interface ServiceChoice {
  /** Unique within the stack; also the name of its log. The one named `gateway` gives the stack its URL. */
  readonly name: string;
  /** Its main file, from the root of the repository. */
  readonly main: string;
}

/** Two subagent-runners, so that tasks of one lead run in more than one process. */
export const defaultServices: readonly ServiceChoice[] = [
  { name: "gateway", main: "services/gateway/src/main.ts" },
  { name: "lead-runner", main: "services/lead-runner/src/main.ts" },
  { name: "subagent-runner-1", main: "services/subagent-runner/src/main.ts" },
  { name: "subagent-runner-2", main: "services/subagent-runner/src/main.ts" },
];

export interface ServiceContext {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Port of the gateway; 0 takes a free one, which a restart keeps. */
  readonly port: number;
}

/** Keeps an idle service small: V8 else grows its young generation on loading and never gives it back. */
const SMALL_NURSERY = "--max-semi-space-size=1";

/** A service run from source; only the gateway's port matters to anybody else. */
export function serviceSpec(service: ServiceChoice, { root, environment, port }: ServiceContext): ProcessSpec {
  const isGateway = service.name === "gateway";
  return {
    name: service.name,
    readyWithinMs: 30_000,
    command: (kept) => ({
      file: process.execPath,
      args: ["--conditions=antler-dev", SMALL_NURSERY, join(root, service.main)],
      cwd: root,
      environment: { ...environment, ANTLER_HTTP_PORT: String(isGateway ? (kept ?? port) : 0) },
    }),
    ready: readyByLogLine,
  };
}
