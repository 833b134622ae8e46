import type { Readable } from "node:stream";

import type { Config, Lane, LiveSignal, RunEvent, TokenUsage, WorkspaceReceipt } from "@antler/contracts";
import type { RunRequest } from "@antler/delivery";
import type { Logger, Readiness } from "@antler/platform";
import type { Listing } from "@antler/sandbox";
import type { ReadEventsOptions, RunRow, StoredState, TaskRow, ThreadDraft, ThreadRow } from "@antler/store";

export interface ThreadAccess {
  /** Creates the thread; one that exists is `thread_exists`, or is returned with `do_nothing`. */
  create(draft: ThreadDraft, options: { readonly ifExists: "raise" | "do_nothing" }): Promise<ThreadRow>;
  /** The thread, created if need be. */
  ensure(draft: ThreadDraft): Promise<ThreadRow>;
  get(tenantId: string, threadId: string): Promise<ThreadRow | undefined>;
}

export interface RunAccess {
  /** The run of an earlier request with the same key. Errors: `idempotency_key_reused`. */
  replayed(request: RunRequest): Promise<RunRow | undefined>;
  /** Errors: `queue_full`. */
  expectRoom(lane: Lane): Promise<void>;
  /** Inserts and publishes. Errors: `thread_busy`, `queue_full`, `idempotency_key_reused`. */
  submit(request: RunRequest): Promise<RunRow>;
  get(runId: string): Promise<RunRow | undefined>;
  /** Newest first. */
  listByThread(threadId: string, page: { limit: number; offset: number }): Promise<readonly RunRow[]>;
  /** The newest run of the thread that was not rolled back. */
  newestStanding(threadId: string): Promise<RunRow | undefined>;
  holderOf(threadId: string): Promise<RunRow | undefined>;
  newestHead(threadId: string): Promise<string | null>;
  /** Marks the run as cancelled; idempotent. Errors: `run_not_cancellable` for a run that ended in another way. */
  cancel(run: RunRow, action: "interrupt" | "rollback"): Promise<RunRow>;
  /** Resolves when the run is terminal; rejects with the signal's reason. */
  ended(runId: string, signal: AbortSignal): Promise<RunRow>;
}

export interface EventAccess {
  read(runId: string, query: ReadEventsOptions): Promise<readonly RunEvent[]>;
  /** Every event after `afterSeq`, in order, as it comes; ends after `run.end` or when the signal aborts. */
  follow(run: RunRow, options: { readonly afterSeq: number; readonly signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** Token deltas; live only. */
  followLive(runId: string, handle: (signal: LiveSignal) => void): { close(): void };
}

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** Runs once the archive is unpacked, right before the old contents go. */
  readonly beforeSwap: () => Promise<void>;
}

export interface WorkspaceAccess {
  /** Replaces the workspace whole, or leaves it as it is: also when `beforeSwap` rejects. */
  upload(thread: ThreadRow, tar: Readable, options: UploadOptions): Promise<WorkspaceReceipt>;
  /** The entries of a virtual directory. */
  list(thread: ThreadRow, path: string): Promise<Listing>;
}

/** All that the routes use. Built over store, bus and sandbox by `gatewayAccess`. */
export interface GatewayDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly threads: ThreadAccess;
  readonly runs: RunAccess;
  readonly events: EventAccess;
  readonly workspaces: WorkspaceAccess;
  readonly listTasks: (runId: string) => Promise<readonly TaskRow[]>;
  /** The state at a checkpoint of the thread. */
  readonly readState: (threadId: string, checkpointId: string) => Promise<StoredState | undefined>;
  readonly usageOf: (scope: { readonly runId: string; readonly taskId?: string }) => Promise<TokenUsage | null>;
  /** Cached state; never a live question to a dependency. */
  readonly readiness: () => Readiness;
}
