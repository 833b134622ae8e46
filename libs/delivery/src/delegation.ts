import { once } from "node:events";

import {
  AntlerError,
  failedOutcome,
  isAntlerError,
  messageOf,
  type RunEvent,
  type SubagentOutcome,
  type TaskEnvelope,
} from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunRow, TaskRow } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";
import { dispatch } from "./dispatch.ts";
import { appendAndSignal } from "./event-append.ts";
import { createKinds } from "./kinds.ts";
import type { Lease } from "./lease.ts";
import { assertRoom } from "./queue-room.ts";
import { taskDraftOf } from "./task-draft.ts";
import { followTaskEvents } from "./task-event-follower.ts";
import { taskGoneEvent } from "./task-events.ts";
import type { TaskKind } from "./task-kind.ts";
import { outcomeOfGoneTask, outcomeOfTask } from "./task-outcome.ts";
import { waitForTask } from "./wait-for-task.ts";

export interface DelegateRequest {
  readonly run: RunRow;
  readonly lease: Lease;
  /** Ends the wait, not the task: the next claim of the run finds the task by its call id. */
  readonly signal: AbortSignal;
  readonly envelope: Omit<TaskEnvelope, "task_id">;
  /** Most tasks of the run. */
  readonly maxTotal: number;
  /** Gets the task's stored events in order, each once. */
  readonly onEvent: (event: RunEvent) => void;
}

/** The lead's side of a task: admission, the row, its ticket, and the wait for its end. */
export interface Delegation {
  /** @throws lease_lost when the run is no longer held; the signal's reason when the wait is ended. */
  readonly delegate: (request: DelegateRequest) => Promise<SubagentOutcome>;
}

export function createDelegation(deps: DeliveryDeps): Delegation {
  const { tasks } = createKinds(deps);
  return {
    async delegate(request) {
      const refused = await admit(deps, request);
      if (refused !== undefined) return refused;
      const task = await findOrInsert(deps, tasks, request);
      try {
        return await outcomeOfTask(tasks.ledger, await follow(deps, tasks, request, task));
      } catch (error) {
        if (!isAntlerError(error, "task_not_found")) throw error;
        return gone(deps, request, task);
      }
    },
  };
}

async function admit({ store }: DeliveryDeps, request: DelegateRequest): Promise<SubagentOutcome | undefined> {
  const { run, lease, envelope, maxTotal } = request;
  lease.assertHeld();
  const fence = { id: run._id, epoch: lease.epoch, claimId: lease.claimId };
  const admission = await store.runs.admit(fence, envelope.tool_call_id, maxTotal);
  if (admission === "not_held") throw new AntlerError("lease_lost", `Run ${run._id} is no longer held`);
  if (admission === "cancelled") return untilStopped(request.signal);
  return admission === "admitted" ? undefined : failedOutcome(`The run has used all of its ${maxTotal} delegations`);
}

/** A cancelled run delegates nothing more: its lease reads the mark at the next renewal, and then stops the lead. */
async function untilStopped(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}

async function findOrInsert(deps: DeliveryDeps, kind: TaskKind, request: DelegateRequest): Promise<TaskRow> {
  const { run, envelope } = request;
  const existing = await kind.ledger.byCall(run._id, envelope.tool_call_id);
  if (existing !== undefined) return existing;
  await assertRoom(deps, { pool: envelope.subagent.pool, lane: run.lane });
  const draft = taskDraftOf(deps.config, request, newId());
  deps.bus.expectFits(kind.ticketOf(draft), draft.trace);
  const task = await kind.ledger.insert(draft);
  if (task._id === draft._id) await dispatch(kind, task, deps);
  return task;
}

async function follow(deps: DeliveryDeps, kind: TaskKind, request: DelegateRequest, task: TaskRow): Promise<TaskRow> {
  const { logger, config, bus } = deps;
  const follower = followTaskEvents(deps, {
    runId: task.run_id,
    taskId: task._id,
    onEvent: (event) => request.onEvent(event),
    onError: (error) => logger.warn({ id: task._id, err: messageOf(error) }, "Task events could not be read"),
  });
  const pollMs = config.subagents.poll_interval_seconds * 1000;
  try {
    const ended = await waitForTask(kind, task, { bus, signal: request.signal, pollMs });
    await follower.catchUp();
    return ended;
  } finally {
    follower.close();
  }
}

/** The row of a task was removed from the ledger: the log is told, so that no reader waits for its end. */
async function gone(deps: DeliveryDeps, request: DelegateRequest, task: TaskRow): Promise<SubagentOutcome> {
  const events = await appendAndSignal(deps, { runId: task.run_id, threadId: task.thread_id }, [taskGoneEvent(task)]);
  for (const event of events) request.onEvent(event);
  return outcomeOfGoneTask(task);
}
