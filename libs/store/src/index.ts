export type { DeadLetterDraft, DeadLetterLedger, ListDeadLetters } from "./dead-letter-ledger.ts";
export type { EventLog, ReadEventsOptions } from "./event-log.ts";
export type { FencedSaver } from "./fenced-saver.ts";
export type { NewRow } from "./insert-row.ts";
export type {
  CancelMark,
  Claim,
  DeadLetterRow,
  Duty,
  RunRow,
  TaskRow,
  ThreadRow,
  TicketRecord,
  WorkRow,
} from "./rows.ts";
export type { Admission, RunDraft, RunInsertion, RunLedger } from "./run-ledger.ts";
export type { StateReader, StoredState } from "./state-reader.ts";
export { connectStore, type ConnectStoreOptions, type Store } from "./store.ts";
export type { StoreLeases } from "./store-leases.ts";
export type { TaskDraft, TaskLedger } from "./task-ledger.ts";
export type { ThreadDraft, ThreadLedger } from "./thread-ledger.ts";
export type { CallerUsage, UsageLedger, UsageScope } from "./usage-ledger.ts";
export type { Fence, ReleaseOptions, RowAt, Settlement, WorkLedger } from "./work-ledger.ts";
export {
  attemptsSpent,
  cancelledWaiting,
  cancelOverdue,
  deadlinePassed,
  executionExpired,
  inFlight,
  leaseExpired,
  owing,
  queueExpired,
  ticketed,
  unticketed,
} from "./work-predicates.ts";
