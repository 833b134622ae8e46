import type { StopReason, Ticket } from "@antler/contracts";
import type { Duty, Settlement, WorkLedger, WorkRow } from "@antler/store";

/** Why delivery itself ends a row, without a word from the one who executed it. */
export interface Ending {
  readonly reason: Extract<
    StopReason,
    | "queue_timeout"
    | "execution_timeout"
    | "deadline"
    | "lost_worker"
    | "cancelled"
    | "rolled_back"
    | "parent_ended"
    | "dead_lettered"
    | "stale_resume"
    | "agent_error"
    | "model_error"
    | "envelope_refused"
    | "document_too_large"
  >;
  readonly message: string;
}

/** What a ticket names of its row. */
export type Ticketed = Pick<WorkRow, "_id" | "run_id" | "dispatch" | "round">;

/** What delivery has to know of a kind of work. Runs and tasks differ only in this. */
export interface WorkKind<Row extends WorkRow, Outcome> {
  readonly name: "run" | "task";
  readonly ledger: WorkLedger<Row>;
  readonly ticketOf: (row: Ticketed) => Ticket;
  readonly isTerminal: (row: Row) => boolean;
  readonly settlementOf: (outcome: Outcome) => Settlement;
  /** The terminal update of a row that delivery ends. */
  readonly endingOf: (ending: Ending) => Settlement;
  /**
   * Carries out one duty of a row; idempotent. False when it is not done yet: then what comes after it waits too.
   * `patienceMs` is how long it may wait for others.
   */
  readonly payDuty: (row: Row, duty: Duty, patienceMs: number) => Promise<boolean>;
  /** Called right after a claim, before the work begins; throws to give up the work. */
  readonly begin: (row: Row) => Promise<void>;
  /** Called before a cancelled row is settled: what must be terminal first. */
  readonly beforeCancelled: (row: Row) => Promise<void>;
  /** Whether all has ended that must end before a cancelled row which nobody holds; it is asked again when not. */
  readonly mayEndCancelled: (row: Row) => Promise<boolean>;
}
