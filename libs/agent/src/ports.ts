import type { LiveSignal, SubagentOutcome } from "@antler/contracts";
import type { DelegateRequest, EventAppender, Lease, UsageWriter } from "@antler/delivery";
import type { RunRow, TaskRow } from "@antler/store";

export type { TaskOutcome as ChildOutcome, EndedCalls, RunOutcome as LeadOutcome } from "@antler/delivery";

/** The hold on a ledger row under which something is executed. */
export type ExecutionLease = Omit<Lease, "claimId">;

/** Where the events of a run go. */
export type EventSink = Pick<EventAppender, "append" | "flush">;

export type UsageSink = UsageWriter;

/** What the lead executor reads of a run's row. */
export type RunToExecute = Pick<
  RunRow,
  | "_id"
  | "tenant_id"
  | "thread_id"
  | "lane"
  | "trace"
  | "identity"
  | "input"
  | "command"
  | "max_model_calls"
  | "context"
  | "config"
  | "stream_modes"
  | "stream_subgraphs"
  | "calls"
  | "head"
>;

/** What the subagent executor reads of a task's row. */
export type TaskToExecute = Pick<
  TaskRow,
  "_id" | "tenant_id" | "run_id" | "thread_id" | "call_id" | "envelope" | "execution_limit_ms"
>;

/** What a lead asks of delivery; the run and the claim are bound to it already. */
export type DelegationRequest = Omit<DelegateRequest, "run" | "lease">;

/** A task before the ledger has given it an id. */
export type TaskDraft = DelegationRequest["envelope"];

/** Hands a task to the runners and waits for its outcome. */
export type Delegate = (request: DelegationRequest) => Promise<SubagentOutcome>;

export type PublishLive = (signal: LiveSignal) => void;
