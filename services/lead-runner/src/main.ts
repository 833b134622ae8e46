import { createMcpPool, createModels, createSkillStorage } from "@antler/agent";
import { runRunner } from "@antler/delivery";
import { runMain } from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";

import { startLeadRunner } from "./app.ts";

const environment = process.env;

runMain(() =>
  runRunner({
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
  }),
);
