import { executeTask, type McpPool, type Models, type SkillStorage } from "@antler/agent";
import type { Bus } from "@antler/bus";
import type { Config } from "@antler/contracts";
import {
  createEventAppender,
  createUsageWriter,
  type Lease,
  type RunnerIdentity,
  startTaskWorker,
  type TaskOutcome,
  type Worker,
} from "@antler/delivery";
import type { Logger } from "@antler/platform";
import type { Workspaces } from "@antler/sandbox";
import type { Store, TaskRow } from "@antler/store";

export interface SubagentRunnerDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly config: Config;
  readonly logger: Logger;
  readonly workspaces: Workspaces;
  readonly models: Models;
  readonly mcp: McpPool;
  readonly skills: SkillStorage;
  readonly runner: RunnerIdentity;
  /** Pools whose tasks are taken. */
  readonly pools: readonly string[];
}

/** Starts to take tasks and to execute them. */
export function startSubagentRunner(deps: SubagentRunnerDeps): Worker {
  return startTaskWorker({ ...deps, execute: (task, lease) => execute(deps, task, lease) });
}

/** Executes one claimed task; its steps go to the log of its run. */
async function execute(deps: SubagentRunnerDeps, task: TaskRow, lease: Lease): Promise<TaskOutcome> {
  const { config, models, mcp, skills, workspaces } = deps;
  const events = createEventAppender(deps, { runId: task.run_id, threadId: task.thread_id });
  try {
    return await executeTask(
      { config, models, mcp, skills, workspaces, usage: createUsageWriter(deps, lease), events },
      task,
      lease,
    );
  } finally {
    await events.close();
  }
}
