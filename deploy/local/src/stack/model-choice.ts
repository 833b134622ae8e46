import { join } from "node:path";

import type { ProcessSpec } from "../supervisor/process-spec.ts";
import { readyByLogLine } from "../supervisor/readiness.ts";

const providerVariables = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"] as const;

/** Whether this environment names a model provider; without one the stack answers with replayed words. */
export function namesProvider(environment: NodeJS.ProcessEnv): boolean {
  return providerVariables.some((name) => (environment[name] ?? "") !== "");
}

export interface ModelStandIn {
  /** A module that exports `registerAnswers(mock)`, from the root of the repository; absent for the default answers. */
  readonly module?: string;
}

/** A process that serves replayed model answers over HTTP. */
export function standInSpec(standIn: ModelStandIn, root: string, environment: NodeJS.ProcessEnv): ProcessSpec {
  const answers = standIn.module === undefined ? [] : ["--answers", join(root, standIn.module)];
  return {
    name: "model-stand-in",
    readyWithinMs: 20_000,
    command: (port = 0) => ({
      file: process.execPath,
      args: [
        ...["--conditions=antler-dev", join(root, "deploy/local/src/model-stand-in/main.ts")],
        ...["--port", String(port), ...answers],
      ],
      cwd: root,
      environment,
    }),
    ready: readyByLogLine,
  };
}

/** What the services are told of the stand-in on `port`. */
export function standInEnvironment(port: number): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "replayed" };
}
