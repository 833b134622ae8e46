import type { Readable } from "node:stream";

import type { Config, LiveSignal, RunEvent, TokenUsage, TraceContext, WorkspaceReceipt } from "@antler/contracts";
import type { RunRequest } from "@antler/delivery";
import type { Logger, Readiness } from "@antler/platform";
import type { Listing } from "@antler/sandbox";
import type {
  DeadLetterRow,
  ListDeadLetters,
  ReadEventsOptions,
  RunRow,
  StoredState,
  TaskRow,
  ThreadDraft,
  ThreadRow,
} from "@antler/store";

export interface ThreadAccess {
  /** Creates the thread; one that exists is `thread_exists`, or is returned with `do_nothing`. */
  create(draft: ThreadDraft, options: { readonly ifExists: "raise" | "do_nothing" }): Promise<ThreadRow>;
  /** The thread, created if need be. */
  ensure(draft: ThreadDraft): Promise<ThreadRow>;
  get(tenantId: string, threadId: string): Promise<ThreadRow | undefined>;
  /** Adds the given keys, replacing those of the same name; undefined when there is no such thread. */
  mergeMetadata(
    tenantId: string,
    threadId: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<ThreadRow | undefined>;
}

export interface RunAccess {
  /** The run of an earlier request with the same key. Errors: `idempotency_key_reused`. */
  replayed(request: RunRequest): Promise<RunRow | undefined>;
  /** Carries out `store`, in which the run is submitted. Errors: `queue_full`, `tenant_limit_reached`, `payload_too_large`. */
  withinLimits<T>(request: RunRequest, store: () => Promise<T>): Promise<T>;
  /** Inserts and publishes. Errors: `thread_busy`, `idempotency_key_reused`. */
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

export interface DeadLetterAccess {
  /** Newest first. */
  list(options: ListDeadLetters): Promise<readonly DeadLetterRow[]>;
  get(id: string): Promise<DeadLetterRow | undefined>;
  /** The run that does what the letter's run should have done; the same one each time. Errors: those of submitting, `dead_letter_not_retryable`. */
  retry(letter: DeadLetterRow, trace: TraceContext): Promise<RunRow>;
  /** True when there was one. */
  discard(id: string): Promise<boolean>;
  /** How many letters of a stream nobody has retried or discarded. */
  countOpen(stream: string): Promise<number>;
}

/** All that the routes use. Built over store, bus and sandbox by `gatewayAccess`. */
export interface GatewayDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly threads: ThreadAccess;
  readonly runs: RunAccess;
  readonly events: EventAccess;
  readonly deadLetters: DeadLetterAccess;
  readonly workspaces: WorkspaceAccess;
  readonly listTasks: (runId: string) => Promise<readonly TaskRow[]>;
  /** The state at a checkpoint of the thread. */
  readonly readState: (threadId: string, checkpointId: string) => Promise<StoredState | undefined>;
  /** The state at the checkpoint and those before it, newest first. */
  readonly readHistory: (threadId: string, checkpointId: string, limit: number) => Promise<readonly StoredState[]>;
  readonly usageOf: (scope: { readonly runId: string; readonly taskId?: string }) => Promise<TokenUsage | null>;
  /** Cached state; never a live question to a dependency. */
  readonly readiness: () => Readiness;
}
