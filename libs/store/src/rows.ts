import type {
  Identity,
  Lane,
  RunCommand,
  RunContext,
  RunStatus,
  StopReason,
  StoredError,
  StreamMode,
  TaskEnvelope,
  TaskStatus,
  TokenUsage,
  TraceContext,
} from "@antler/contracts";

/** Who executes a row: a fresh `id` for every claim, so that an ambiguous reply can be resolved by reading. */
export interface Claim {
  readonly id: string;
  readonly runner_id: string;
  readonly pid: number;
}

/** The publication that carries the row's claim ticket. */
export interface TicketRecord {
  readonly dispatch: number;
  readonly stream_created: string;
  readonly seq: number;
  readonly at: Date;
}

/** What must follow a terminal update; each is idempotent and pulled from `owed` when done. */
export type Duty = "end_event" | "signal" | "sweep" | "cancel_tasks" | "prune";

/** Why a row is to end: a user's wish, or for a task that its run has ended. */
export interface CancelMark {
  readonly action: "interrupt" | "rollback" | "parent_ended";
  readonly at: Date;
}

/** Fields that delivery needs of every row, whether run or task. All dates are the store's. */
export interface WorkRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly pool: string;
  readonly lane: Lane;
  readonly status: RunStatus | TaskStatus;
  readonly stop_reason: StopReason | null;
  readonly trace: TraceContext;
  /** Publications of a ticket. */
  readonly dispatch: number;
  /** Claims; fences every write of the row. */
  readonly epoch: number;
  /** Charged executions. */
  readonly attempt: number;
  readonly round: number;
  readonly max_attempts: number;
  readonly ticket: TicketRecord | null;
  readonly claim: Claim | null;
  readonly lease_until: Date | null;
  readonly not_before: Date | null;
  /** Since when the row is due; the queue limit counts from here. */
  readonly due_at: Date;
  readonly queue_limit_ms: number;
  readonly execution_limit_ms: number;
  readonly execution_deadline_at: Date | null;
  /** The end of everything, absolute, written at insertion. */
  readonly deadline_at: Date;
  readonly cancel: CancelMark | null;
  readonly owed: readonly Duty[];
  readonly owed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Begin of the last execution. */
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

export interface RunRow extends WorkRow {
  readonly kind: "run" | "update";
  readonly status: RunStatus;
  readonly assistant_id: string;
  readonly identity: Identity;
  readonly input: Readonly<Record<string, unknown>> | null;
  /** Answers interrupts of the thread; absent or null when the run was not made for that. */
  readonly command?: RunCommand | null;
  /** The checkpoint that the run goes on from and no other; absent when it takes the thread as it finds it. */
  readonly continues?: string;
  /** Most model calls of the lead; absent in rows of older versions. */
  readonly max_model_calls?: number;
  readonly context: RunContext;
  readonly config: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly stream_modes: readonly StreamMode[];
  readonly stream_subgraphs: boolean;
  readonly on_disconnect: "continue" | "cancel";
  /** Ids of the task calls admitted so far: their number is the per-run total. */
  readonly calls: readonly string[];
  /** The thread while this run holds it; absent otherwise. */
  readonly lock?: string;
  /** Position of the run on its thread, from 1. */
  readonly turn: number;
  /** Checkpoint from which the run starts: the previous turn's head. */
  readonly base: string | null;
  /** Newest checkpoint of this run. */
  readonly head: string | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly error: StoredError | null;
  /** Hash of tenant, thread and the key under which the run was asked for. */
  readonly idempotency?: string;
  /** Hash of what was asked for under that key. */
  readonly request_sha256?: string;
}

export interface TaskRow extends WorkRow {
  readonly status: TaskStatus;
  readonly call_id: string;
  readonly subagent_type: string;
  readonly description: string;
  readonly envelope: TaskEnvelope;
  readonly model_name: string;
  /** Only the beginning when `result_bytes` is there; `TaskLedger.wholeResult` has it all. */
  readonly result: string | null;
  /** Size of a result that stands apart, since it is too long for its row. */
  readonly result_bytes?: number;
  /** Of the whole result. */
  readonly result_sha256: string | null;
  readonly partial_result: string | null;
  readonly error: string | null;
  readonly usage: TokenUsage | null;
  readonly steps: number;
}

export interface ThreadRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface DeadLetterRow {
  readonly _id: string;
  /** Whose run or task the message belonged to; null when that is not known. */
  readonly tenant_id: string | null;
  readonly stream: string;
  readonly subject: string;
  readonly reason: string;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The run or task that the message belonged to, where it could be read. */
  readonly row_id: string | null;
  /** The run that took up what the message should have started. */
  readonly retried: { readonly run_id: string; readonly at: Date } | null;
  readonly created_at: Date;
}
