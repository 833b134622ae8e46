import { executeRun, type McpPool, type Models, type SkillStorage } from "@antler/agent";
import type { Bus } from "@antler/bus";
import type { Config } from "@antler/contracts";
import {
  createDelegation,
  createEndedCalls,
  createEventAppender,
  createUsageWriter,
  type Delegation,
  type Lease,
  publishLive,
  type RunnerIdentity,
  type RunOutcome,
  startRunWorker,
  type Worker,
} from "@antler/delivery";
import type { Logger } from "@antler/platform";
import type { Workspaces } from "@antler/sandbox";
import type { RunRow, Store } from "@antler/store";

import { createOpenWork } from "./open-work.ts";

export interface LeadRunnerDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly config: Config;
  readonly logger: Logger;
  readonly workspaces: Workspaces;
  readonly models: Models;
  readonly mcp: McpPool;
  readonly skills: SkillStorage;
  readonly runner: RunnerIdentity;
}

/** Starts to take runs and to lead them. */
export function startLeadRunner(deps: LeadRunnerDeps): Worker {
  const delegation = createDelegation(deps);
  return startRunWorker({ ...deps, execute: (run, lease) => lead(deps, delegation, { run, lease }) });
}

interface ClaimedRun {
  readonly run: RunRow;
  readonly lease: Lease;
}

/**
 * Leads one claimed run, with checkpoints, log, live deltas and delegation that are bound to this claim. A graph that is
 * stopped does not wait for its tools, so a task may still be inserted then: how calls ended is looked up afterwards.
 */
async function lead(deps: LeadRunnerDeps, delegation: Delegation, { run, lease }: ClaimedRun): Promise<RunOutcome> {
  const { store, bus, config, models, mcp, skills, workspaces } = deps;
  const events = createEventAppender(deps, { runId: run._id, threadId: run.thread_id });
  const delegations = createOpenWork();
  const endedCalls = createEndedCalls(deps, run.thread_id);
  try {
    return await executeRun(
      {
        config,
        models,
        mcp,
        skills,
        workspaces,
        usage: createUsageWriter(deps, lease),
        saver: store.saver({ runId: run._id, epoch: lease.epoch, claimId: lease.claimId }),
        events,
        publishLive: (delta) => publishLive(bus, run._id, delta),
        delegate: (request) => delegations.add(delegation.delegate({ ...request, run, lease })),
        async endedCalls(callIds, waitMs) {
          await delegations.settled();
          return endedCalls(callIds, waitMs);
        },
      },
      run,
      lease,
    );
  } finally {
    await delegations.settled();
    await events.close();
  }
}
