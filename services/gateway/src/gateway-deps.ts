import type { Readable } from "node:stream";

import type { Config, LiveSignal, RunEvent, TokenUsage, WorkspaceReceipt } from "@antler/contracts";
import type { Logger, Readiness } from "@antler/platform";
import type { CancelMark, RunRow, TaskRow, ThreadRow } from "@antler/store";

import type { RunRequest } from "./run-request.ts";

export interface ThreadAccess {
  /** Creates the thread; one that exists is `thread_exists`, or is returned with `do_nothing`. */
  create(draft: ThreadDraft, ifExists: "raise" | "do_nothing"): Promise<ThreadRow>;
  get(tenantId: string, threadId: string): Promise<ThreadRow | undefined>;
}

export interface ThreadDraft {
  readonly tenantId: string;
  readonly threadId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A checkpoint as the saver reads it: values may hold messages as objects. */
export interface CheckpointState {
  readonly id: string;
  readonly parentId: string | null;
  readonly createdAt: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RunAccess {
  /** Inserts and publishes. Errors: `thread_busy`, `queue_full`. */
  submit(request: RunRequest): Promise<RunRow>;
  get(runId: string): Promise<RunRow | undefined>;
  list(threadId: string, page: { limit: number; offset: number }): Promise<readonly RunRow[]>;
  holderOf(threadId: string): Promise<RunRow | undefined>;
  newestHead(threadId: string): Promise<string | null>;
  /** Marks the run as cancelled; a run that has ended is `run_not_cancellable`. */
  cancel(run: RunRow, action: CancelMark["action"]): Promise<RunRow>;
  /** Resolves when the run is terminal. */
  ended(runId: string, signal: AbortSignal): Promise<RunRow>;
}

export interface EventQuery {
  readonly afterSeq: number;
  readonly limit: number;
  readonly taskId?: string;
  readonly types?: readonly string[];
}

export interface EventAccess {
  read(runId: string, query: EventQuery): Promise<readonly RunEvent[]>;
  /** Every event after `afterSeq`, in order, as it comes; ends after `run.end`. */
  follow(run: RunRow, options: { afterSeq: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** Token deltas; live only. */
  followLive(runId: string, handle: (signal: LiveSignal) => void): { close(): void };
}

export interface TaskAccess {
  list(runId: string): Promise<readonly TaskRow[]>;
}

export interface WorkspaceAccess {
  upload(thread: ThreadRow, tar: Readable, signal: AbortSignal): Promise<WorkspaceReceipt>;
}

/** All that the routes use. Built over store, bus and sandbox in `gateway-access.ts`. */
export interface GatewayDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly threads: ThreadAccess;
  readonly runs: RunAccess;
  readonly tasks: TaskAccess;
  readonly events: EventAccess;
  /** The state at a checkpoint of the thread. */
  readonly readState: (threadId: string, checkpointId: string) => Promise<CheckpointState | undefined>;
  readonly usageOf: (scope: { runId: string; taskId?: string }) => Promise<TokenUsage | null>;
  readonly workspaces: WorkspaceAccess;
  /** Cached state; never a live question to a dependency. */
  readonly readiness: () => Readiness;
}
