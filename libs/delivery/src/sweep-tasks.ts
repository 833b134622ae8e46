import type { Bus } from "@antler/bus";
import { isAntlerError, subjects } from "@antler/contracts";
import { cancelledWaiting, type CancelMark, cancelOverdue, type TaskRow } from "@antler/store";

import { cancelEnding } from "./disposition.ts";
import { type Condition, endRow } from "./end-row.ts";
import { payDuties } from "./pay-duties.ts";
import type { TaskKind } from "./task-kind.ts";
import { waitUntilTerminal } from "./wait-until-terminal.ts";

/** Tells every process that works for the run to read its cancel mark now. */
export function signalCancel(bus: Bus, runId: string, action: "interrupt" | "rollback"): void {
  bus.signal(subjects.cancel(runId), { run_id: runId, action });
}

/** Time that the workers of cancelled tasks have to end them. */
export const CANCEL_GRACE_MS = 10_000;

/** Ends the cancelled tasks of a run that no worker has begun. */
export function endWaitingTasks(kind: TaskKind, runId: string): Promise<void> {
  return endThose(kind, runId, cancelledWaiting);
}

/** Marks the tasks of a run that have no mark yet, and ends those that no worker has begun. Returns how many it marked. */
export async function cancelTasks(kind: TaskKind, runId: string, action: CancelMark["action"]): Promise<number> {
  const marked = await kind.ledger.markCancelled({ run_id: runId }, action, []);
  await endWaitingTasks(kind, runId);
  return marked;
}

/** Ends what is left of a run that has ended, waiting for workers as long as patience lasts. False when some remain. */
export async function endLiveTasks(kind: TaskKind, bus: Bus, runId: string, patienceMs: number): Promise<boolean> {
  await endWaitingTasks(kind, runId);
  if (patienceMs > 0) await awaitTasksEnd(kind, bus, { runId, action: "parent_ended", graceMs: patienceMs });
  else await endThose(kind, runId, cancelOverdue(CANCEL_GRACE_MS));
  if ((await kind.ledger.countLive(runId)) > 0) return false;
  await payThose(kind, runId);
  return true;
}

/** The log of a run takes no end of a task after its own: what a lost worker still owed is paid before. */
async function payThose(kind: TaskKind, runId: string): Promise<void> {
  const owing = await kind.ledger.find({ run_id: runId, owed: "end_event" }, TASKS_AT_ONCE);
  for (const task of owing) await payDuties(kind, task);
}

const POLL_MS = 1000;

export interface TasksEnd {
  readonly runId: string;
  /** The mark of tasks that have none: such as were inserted while the others were marked. */
  readonly action: CancelMark["action"];
  readonly graceMs: number;
}

/** Waits until every task of a cancelled run is terminal; those whose workers take longer than the grace are ended. */
export async function awaitTasksEnd(kind: TaskKind, bus: Bus, { runId, action, graceMs }: TasksEnd): Promise<void> {
  const marked = await cancelTasks(kind, runId, action);
  if (marked > 0) signalCancel(bus, runId, action === "rollback" ? action : "interrupt");
  const wait = { bus, signal: AbortSignal.timeout(graceMs), pollMs: POLL_MS };
  const live = (await kind.ledger.listByRun(runId)).filter((task) => !kind.isTerminal(task));
  const ends = live.map((task) => waitUntilTerminal(kind, task._id, wait));
  const failed = (await Promise.allSettled(ends)).find(isFault);
  if (failed !== undefined) throw failed.reason;
  await endThose(kind, runId, cancelOverdue(0));
}

/** A wait that ran into the grace is no fault. */
function isFault(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === "rejected" && isAntlerError(result.reason);
}

const TASKS_AT_ONCE = 200;

async function endThose(kind: TaskKind, runId: string, condition: Condition): Promise<void> {
  const tasks: readonly TaskRow[] = await kind.ledger.find({ run_id: runId, ...condition }, TASKS_AT_ONCE);
  for (const task of tasks) await endRow(kind, task, { condition, ending: cancelEnding(task.cancel?.action) });
}
