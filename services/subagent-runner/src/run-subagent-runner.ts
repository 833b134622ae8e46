import { createMcpPool, createModels, createSkillStorage } from "@antler/agent";
import type { Environment } from "@antler/contracts";
import { runRunner } from "@antler/delivery";
import { createWorkspaces } from "@antler/sandbox";

import { startSubagentRunner } from "./app.ts";
import { taskPools } from "./task-pools.ts";

/** Starts the process that executes tasks: what executions need, and the worker. */
export function runSubagentRunner(environment: Environment): Promise<void> {
  return runRunner({
    name: "subagent-runner",
    environment,
    async start(deps) {
      const { config, logger } = deps;
      const { sandbox } = config;
      const pools = taskPools(config, environment["ANTLER_POOLS"]);
      const workspaces = await createWorkspaces({ root: sandbox.workspaces_dir, config: sandbox, logger, environment });
      const models = createModels(config, environment);
      const mcp = createMcpPool({ config: config.tools.mcp, environment, logger });
      const skills = createSkillStorage(config.skills);
      const worker = startSubagentRunner({ ...deps, workspaces, models, mcp, skills, pools });
      return { worker, resources: { mcp, models, workspaces } };
    },
  });
}
