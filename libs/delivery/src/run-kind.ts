import {
  AntlerError,
  eventKeys,
  isRunTerminal,
  type NewRunEvent,
  type RunTerminalStatus,
  type StopReason,
  type StoredError,
  subjects,
} from "@antler/contracts";
import type { Duty, RunRow } from "@antler/store";

import type { AppendEvents, DeliveryDeps } from "./delivery-deps.ts";
import { expectContinuable } from "./expect-continuable.ts";
import { pruneCheckpoints } from "./prune-checkpoints.ts";
import { endingOf, OWED } from "./run-ending.ts";
import { settlingAsMarked } from "./settle-run.ts";
import {
  awaitTasksEnd,
  CANCEL_GRACE_MS,
  cancelTasks,
  endLiveTasks,
  endWaitingTasks,
  signalCancel,
} from "./sweep-tasks.ts";
import type { TaskKind } from "./task-kind.ts";
import type { WorkKind } from "./work-kind.ts";

/** How a run ended, in the words of the one who executed it. */
export interface RunOutcome {
  readonly status: RunTerminalStatus;
  readonly stop_reason: StopReason;
  readonly error: StoredError | null;
  readonly output: Readonly<Record<string, unknown>> | null;
}

export type RunKind = WorkKind<RunRow, RunOutcome>;

export function createRunKind(deps: DeliveryDeps, append: AppendEvents, tasks: TaskKind): RunKind {
  const { store, bus } = deps;
  const beforeCancelled = (run: RunRow) =>
    awaitTasksEnd(tasks, bus, { runId: run._id, action: wish(run), graceMs: CANCEL_GRACE_MS });
  const ledger = settlingAsMarked(store.runs, { endingOf, beforeCancelled });

  const duties: Partial<Record<Duty, (run: RunRow, patienceMs: number) => Promise<boolean>>> = {
    async cancel_tasks(run) {
      await store.tasks.markCancelled({ run_id: run._id }, wish(run), []);
      signalCancel(bus, run._id, wish(run));
      await endWaitingTasks(tasks, run._id);
      return true;
    },
    async sweep(run, patienceMs) {
      const marked = await store.tasks.markCancelled({ run_id: run._id }, "parent_ended", []);
      if (marked > 0) signalCancel(bus, run._id, "interrupt");
      return endLiveTasks(tasks, bus, run._id, patienceMs);
    },
    async end_event(run) {
      await append({ runId: run._id, threadId: run.thread_id }, [runEndEvent(run)]);
      return true;
    },
    async signal(run) {
      bus.signal(subjects.settled("run", run._id), { id: run._id, status: run.status });
      return Promise.resolve(true);
    },
    async prune(run) {
      await pruneCheckpoints(store, run);
      return true;
    },
  };

  return {
    name: "run",
    ledger,
    ticketOf: (run) => ({ kind: "run", id: run._id, version: 1, dispatch: run.dispatch, round: run.round }),
    isTerminal: (run) => isRunTerminal(run.status),
    settlementOf: ({ status, ...fields }) => ({ status, fields, owed: OWED, unlessCancelled: true }),
    endingOf,
    payDuty: async (run, duty, patienceMs) => (await duties[duty]?.(run, patienceMs)) ?? true,
    async begin(run) {
      const base = await ledger.chooseBase({ id: run._id, epoch: run.epoch, claimId: run.claim?.id ?? "" });
      const { cancel } = (await ledger.get(run._id)) ?? run;
      if (cancel !== null)
        throw new AntlerError("cancelled", `Run ${run._id} was cancelled`, { details: { action: cancel.action } });
      await expectContinuable(store, run, base);
    },
    beforeCancelled,
    async mayEndCancelled(run) {
      if (run.calls.length === 0) return true;
      await cancelTasks(tasks, run._id, wish(run));
      return (await tasks.ledger.countLive(run._id)) === 0;
    },
  };
}

function wish(run: RunRow): "interrupt" | "rollback" {
  return run.cancel?.action === "rollback" ? "rollback" : "interrupt";
}

/** What a run's log is to somebody who waits for its end. */
export type LogState = "live" | "ended" | "gone";

/** Seals the log of a run that has ended and whose tasks have; for whoever notices first. */
export async function sealIfEnded(kind: RunKind, runId: string): Promise<LogState> {
  const run = await kind.ledger.get(runId);
  if (run === undefined) return "gone";
  if (!kind.isTerminal(run) || run.owed.includes("sweep")) return "live";
  await kind.payDuty(run, "end_event", 0);
  return "ended";
}

/** The event that seals a run's log, made from its terminal row by whoever notices first. */
function runEndEvent(run: RunRow): NewRunEvent {
  const { status, stop_reason, error } = run;
  return { key: eventKeys.runEnd, type: "run.end", data: { status, stop_reason, error } };
}
