import type { Bus } from "@antler/bus";
import type { Config } from "@antler/contracts";
import {
  cancelRun,
  createKinds,
  createRunIntake,
  readRunEvents,
  replayedRun,
  retryDeadLetter,
  type RunIntake,
  sealIfEnded,
  submitRun,
  subscribeLive,
  waitUntilTerminal,
} from "@antler/delivery";
import type { Logger, Readiness } from "@antler/platform";
import type { Workspaces } from "@antler/sandbox";
import type { Store } from "@antler/store";

import type { DeadLetterAccess, EventAccess, GatewayDeps, RunAccess, WorkspaceAccess } from "./gateway-deps.ts";

export interface AccessDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly config: Config;
  readonly logger: Logger;
  readonly workspaces: Workspaces;
  readonly readiness: () => Readiness;
}

/** How often a wait reads the ledger again, in case its signal was lost. */
const POLL_MS = 2000;

/** What the routes use, over the real store, bus and workspaces. */
export function gatewayAccess(deps: AccessDeps): GatewayDeps {
  const { store, config, logger, workspaces, readiness } = deps;
  const intake = createRunIntake(deps);
  return {
    config,
    logger,
    readiness,
    threads: store.threads,
    runs: runAccess(deps, intake),
    deadLetters: deadLetterAccess(deps, intake),
    events: eventAccess(deps),
    workspaces: workspaceAccess(workspaces),
    listTasks: (runId) => store.tasks.listByRun(runId),
    readState: (threadId, checkpointId) => store.states.readState(threadId, checkpointId),
    readHistory: (threadId, checkpointId, limit) => store.states.history(threadId, checkpointId, limit),
    usageOf: (scope) => store.usage.totals(scope),
  };
}

function deadLetterAccess(deps: AccessDeps, intake: RunIntake): DeadLetterAccess {
  const { deadLetters } = deps.store;
  return {
    list: (options) => deadLetters.list(options),
    get: (id) => deadLetters.get(id),
    retry: (letter, trace) => retryDeadLetter({ ...deps, intake }, letter, trace),
    discard: (id) => deadLetters.discard(id),
    countOpen: (stream) => deadLetters.countOpen(stream),
  };
}

function runAccess(deps: AccessDeps, intake: RunIntake): RunAccess {
  const { store, bus } = deps;
  const kinds = createKinds(deps);
  return {
    replayed: (request) => replayedRun(deps, request),
    withinLimits: (request, work) => intake.within(request, work),
    submit: (request) => submitRun(deps, request),
    get: (runId) => store.runs.get(runId),
    listByThread: (threadId, page) => store.runs.listByThread(threadId, page),
    newestStanding: (threadId) => store.runs.newestStanding(threadId),
    holderOf: (threadId) => store.runs.holderOf(threadId),
    newestHead: (threadId) => store.runs.newestHead(threadId),
    cancel: (run, action) =>
      cancelRun(kinds.runs, { tenantId: run.tenant_id, threadId: run.thread_id, runId: run._id, action }),
    ended: (runId, signal) => waitUntilTerminal(kinds.runs, runId, { bus, signal, pollMs: POLL_MS }),
  };
}

function eventAccess(deps: AccessDeps): EventAccess {
  const { store, bus } = deps;
  const { runs } = createKinds(deps);
  return {
    read: (runId, query) => store.events.read(runId, query),
    follow: (run, options) =>
      readRunEvents({ store, bus }, run._id, { ...options, sealIfEnded: () => sealIfEnded(runs, run._id) }),
    followLive: (runId, handle) => subscribeLive(bus, runId, handle),
  };
}

function workspaceAccess(workspaces: Workspaces): WorkspaceAccess {
  return {
    upload: (thread, tar, options) => workspaces.upload(thread.tenant_id, thread._id, tar, options),
    async list(thread, path) {
      const sandbox = await workspaces.open(thread.tenant_id, thread._id);
      try {
        return await sandbox.list(path, { depth: 1 });
      } finally {
        await sandbox.release();
      }
    },
  };
}
