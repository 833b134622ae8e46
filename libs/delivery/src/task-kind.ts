import { createHash } from "node:crypto";

import {
  AntlerError,
  boundText,
  isRunTerminal,
  isTaskTerminal,
  type StopReason,
  subjects,
  type TaskTerminalStatus,
  type TokenUsage,
} from "@antler/contracts";
import type { Duty, Settlement, TaskLedger, TaskRow } from "@antler/store";

import type { AppendEvents, DeliveryDeps } from "./delivery-deps.ts";
import { taskEndEvent, taskStartEvent } from "./task-events.ts";
import type { Ending, WorkKind } from "./work-kind.ts";

/** How a task ended, in the words of the one who executed it. */
export interface TaskOutcome {
  readonly status: TaskTerminalStatus;
  readonly stop_reason: StopReason;
  readonly result: string | null;
  /** Text of work that was not finished; never a result. */
  readonly partial_result: string | null;
  readonly error: string | null;
  /** Of this attempt; totals over all attempts are queries of the usage ledger. */
  readonly usage: TokenUsage | null;
  /** Messages of this attempt. */
  readonly steps: number;
}

export interface TaskKind extends WorkKind<TaskRow, TaskOutcome> {
  readonly ledger: TaskLedger;
}

const OWED: readonly Duty[] = ["end_event", "signal"];

/** Of unfinished work the beginning and the end are kept, with a mark where the middle was. */
const PARTIAL_RESULT_MAX_CHARS = 64 * 1024;

export function createTaskKind({ store, bus }: DeliveryDeps, append: AppendEvents): TaskKind {
  const duties: Partial<Record<Duty, (task: TaskRow) => Promise<void> | void>> = {
    end_event: (task) => append({ runId: task.run_id, threadId: task.thread_id }, [taskEndEvent(task)]),
    signal(task) {
      bus.signal(subjects.settled("task", task._id), { id: task._id, status: task.status });
    },
  };

  return {
    name: "task",
    ledger: store.tasks,
    ticketOf: (task) => ({
      kind: "task",
      id: task._id,
      run_id: task.run_id,
      version: 1,
      dispatch: task.dispatch,
      round: task.round,
    }),
    isTerminal: (task) => isTaskTerminal(task.status),
    settlementOf: ({ status, partial_result: partial, ...fields }) => ({
      status,
      fields: {
        ...fields,
        partial_result: partial === null ? null : boundText(partial, PARTIAL_RESULT_MAX_CHARS),
        result_sha256: fields.result === null ? null : sha256(fields.result),
      },
      owed: OWED,
    }),
    endingOf,
    async payDuty(task, duty) {
      await duties[duty]?.(task);
      return true;
    },
    async begin(task) {
      const run = await store.runs.get(task.run_id);
      if (run === undefined || isRunTerminal(run.status)) throw cancelled(task, "parent_ended");
      if (run.cancel !== null) throw cancelled(task, run.cancel.action);
      await append({ runId: task.run_id, threadId: task.thread_id }, [taskStartEvent(task)]);
    },
    beforeCancelled: () => Promise.resolve(),
    mayEndCancelled: () => Promise.resolve(true),
  };
}

function cancelled(task: TaskRow, action: string): AntlerError {
  return new AntlerError("cancelled", `Task ${task._id} was cancelled`, { details: { action } });
}

const STATUS_OF_ENDING: Partial<Record<Ending["reason"], TaskTerminalStatus>> = {
  queue_timeout: "timed_out",
  execution_timeout: "timed_out",
  deadline: "timed_out",
  cancelled: "cancelled",
  rolled_back: "cancelled",
  parent_ended: "cancelled",
};

function endingOf({ reason, message }: Ending): Settlement {
  const fields = { stop_reason: reason, error: message, result: null, result_sha256: null };
  return { status: STATUS_OF_ENDING[reason] ?? "failed", fields, owed: OWED };
}

/** SHA-256 of the whole text as UTF-8, in lower-case hexadecimal digits. */
function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
