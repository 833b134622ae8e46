import type { Bus } from "@antler/bus";
import { type Config, isRunTerminal } from "@antler/contracts";
import {
  cancelRun,
  createKinds,
  readRunEvents,
  runEndEvent,
  submitRun,
  subscribeLive,
  waitUntilTerminal,
} from "@antler/delivery";
import type { Logger, Readiness } from "@antler/platform";
import type { Workspaces } from "@antler/sandbox";
import type { RunRow, Store } from "@antler/store";

import type { EventAccess, GatewayDeps, RunAccess, WorkspaceAccess } from "./gateway-deps.ts";

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
  return {
    config,
    logger,
    readiness,
    threads: store.threads,
    runs: runAccess(deps),
    events: eventAccess(deps),
    workspaces: workspaceAccess(workspaces),
    listTasks: (runId) => store.tasks.listByRun(runId),
    readState: (threadId, checkpointId) => store.states.readState(threadId, checkpointId),
    usageOf: (scope) => store.usage.totals(scope),
  };
}

function runAccess(deps: AccessDeps): RunAccess {
  const { store, bus } = deps;
  const kinds = createKinds(deps);
  const wait = {
    bus,
    name: "run",
    ledger: store.runs,
    isTerminal: (run: RunRow) => isRunTerminal(run.status),
  } as const;
  return {
    submit: (request) => submitRun(deps, request),
    get: (runId) => store.runs.get(runId),
    listByThread: (threadId, page) => store.runs.listByThread(threadId, page),
    holderOf: (threadId) => store.runs.holderOf(threadId),
    newestHead: (threadId) => store.runs.newestHead(threadId),
    cancel: (run, action) =>
      cancelRun(kinds.runs, { tenantId: run.tenant_id, threadId: run.thread_id, runId: run._id, action }),
    ended: (runId, signal) => waitUntilTerminal(wait, runId, { signal, pollMs: POLL_MS }),
  };
}

function eventAccess({ store, bus }: AccessDeps): EventAccess {
  const sealIfEnded = async (runId: string) => {
    const run = await store.runs.get(runId);
    if (run === undefined) return "gone";
    if (!isRunTerminal(run.status)) return "live";
    await store.events.append(run._id, run.thread_id, [runEndEvent(run)]);
    return "ended";
  };
  return {
    read: (runId, query) => store.events.read(runId, query),
    follow: (run, options) =>
      readRunEvents({ store, bus }, run._id, { ...options, sealIfEnded: () => sealIfEnded(run._id) }),
    followLive: (runId, handle) => subscribeLive(bus, runId, handle),
  };
}

function workspaceAccess(workspaces: Workspaces): WorkspaceAccess {
  return {
    upload: (thread, tar, signal) => workspaces.upload(thread.tenant_id, thread._id, tar, { signal }),
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
