import { createMcpPool, createModels, createSkillStorage } from "@antler/agent";
import type { Environment } from "@antler/contracts";
import { runRunner } from "@antler/delivery";
import { createWorkspaces } from "@antler/sandbox";

import { startLeadRunner } from "./app.ts";

/** Starts the process that leads runs: what executions need, and the worker. */
export function runLeadRunner(environment: Environment): Promise<void> {
  return runRunner({
    name: "lead-runner",
    environment,
    async start(deps) {
      const { config, logger } = deps;
      const { sandbox } = config;
      const workspaces = await createWorkspaces({ root: sandbox.workspaces_dir, config: sandbox, logger, environment });
      const models = createModels(config, environment);
      const mcp = createMcpPool({ config: config.tools.mcp, environment, logger });
      const skills = createSkillStorage(config.skills);
      const worker = startLeadRunner({ ...deps, workspaces, models, mcp, skills });
      return { worker, resources: { mcp, models, workspaces } };
    },
  });
}
