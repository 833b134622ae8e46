import type { SubagentOutcome } from "@antler/contracts";
import type { TaskRow } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";
import { createKinds } from "./kinds.ts";
import { awaitTasksEnd } from "./sweep-tasks.ts";
import { outcomeOfTask } from "./task-outcome.ts";

/**
 * How task calls ended, by call id; calls whose task has not ended are left out. With `waitMs`, cancelled tasks get
 * that long to end and are ended then.
 */
export type EndedCalls = (callIds: readonly string[], waitMs: number) => Promise<ReadonlyMap<string, SubagentOutcome>>;

/** Looks up in the ledger how the task calls of a thread ended; of a call that repeats, the newest. */
export function createEndedCalls(deps: DeliveryDeps, threadId: string): EndedCalls {
  const { tasks } = createKinds(deps);
  return async (callIds, waitMs) => {
    const found = await tasks.ledger.listByCalls(threadId, callIds);
    const runIds = new Set(found.filter((task) => !tasks.isTerminal(task)).map((task) => task.run_id));
    if (waitMs > 0)
      for (const runId of runIds) await awaitTasksEnd(tasks, deps.bus, { runId, action: "interrupt", graceMs: waitMs });
    const ended = (await tasks.ledger.listByCalls(threadId, callIds)).filter((task) => tasks.isTerminal(task));
    const outcomeOf = async (task: TaskRow) => [task.call_id, await outcomeOfTask(tasks.ledger, task)] as const;
    return new Map(await Promise.all(ended.map(outcomeOf)));
  };
}
