import type {
  Identity,
  Lane,
  LiveSignal,
  NewRunEvent,
  RunCommand,
  RunContext,
  RunEvent,
  RunTerminalStatus,
  StopReason,
  StoredError,
  StreamMode,
  SubagentOutcome,
  TaskEnvelope,
  TaskTerminalStatus,
  TokenUsage,
  TraceContext,
  UsageRecord,
} from "@antler/contracts";

/** The hold on a ledger row under which something is executed. */
export interface ExecutionLease {
  readonly epoch: number;
  readonly attempt: number;
  readonly round: number;
  /** Aborts with an AntlerError: `lease_lost`, `cancelled`, `deadline_exceeded` or `drained`. */
  readonly signal: AbortSignal;
  /** @throws AntlerError `lease_lost` once the lease is not surely held; never waits. */
  assertHeld(): void;
}

/** Where the events of a run go. */
export interface EventSink {
  /** Buffers; written within a bounded time or by `flush`. */
  append(event: NewRunEvent): void;
  /** Writes all that was appended before. */
  flush(): Promise<unknown>;
}

export interface UsageSink {
  /** Repeatable: a record is counted once under its key. */
  record(records: readonly UsageRecord[]): Promise<unknown>;
}

/** What the lead executor reads of a run's row. */
export interface RunToExecute {
  readonly _id: string;
  readonly tenant_id: string;
  readonly thread_id: string;
  readonly lane: Lane;
  readonly trace: TraceContext;
  readonly identity: Identity;
  readonly input: Readonly<Record<string, unknown>> | null;
  /** Answers interrupts of the thread, in the place of input. */
  readonly command?: RunCommand | null;
  /** Most model calls, as settled when the run was accepted. */
  readonly max_model_calls?: number;
  readonly context: RunContext;
  readonly config: Readonly<Record<string, unknown>>;
  readonly stream_modes: readonly StreamMode[];
  readonly stream_subgraphs: boolean;
  readonly calls: readonly string[];
  readonly head: string | null;
}

/** What the subagent executor reads of a task's row. */
export interface TaskToExecute {
  readonly _id: string;
  readonly tenant_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly call_id: string;
  readonly envelope: TaskEnvelope;
  readonly execution_limit_ms: number;
}

/** A task before the ledger has given it an id. */
export type TaskDraft = Omit<TaskEnvelope, "task_id">;

export interface DelegationRequest {
  readonly envelope: TaskDraft;
  /** Most tasks of the run. */
  readonly maxTotal: number;
  /** Abort means: stop waiting. It is not a cancel. */
  readonly signal: AbortSignal;
  /** The task's stored events in order, each once. */
  readonly onEvent: (event: RunEvent) => void;
}

/** Hands a task to the runners and waits for its outcome. */
export type Delegate = (request: DelegationRequest) => Promise<SubagentOutcome>;

/**
 * How task calls of the run's thread ended, by call id. Those that have not ended are waited for at most `waitMs`, and
 * are missing when they go on for longer.
 */
export type EndedCalls = (callIds: readonly string[], waitMs: number) => Promise<ReadonlyMap<string, SubagentOutcome>>;

export type PublishLive = (signal: LiveSignal) => void;

/** How an execution of a run ended. */
export interface LeadOutcome {
  readonly status: RunTerminalStatus;
  readonly stop_reason: StopReason;
  readonly error: StoredError | null;
  readonly output: Record<string, unknown> | null;
}

/** How an execution of a task ended. */
export interface ChildOutcome {
  readonly status: TaskTerminalStatus;
  readonly stop_reason: StopReason;
  readonly result: string | null;
  readonly partial_result: string | null;
  readonly error: string | null;
  /** Of this execution. */
  readonly usage: TokenUsage | null;
  readonly steps: number;
}
