import type { AppendEvents, DeliveryDeps } from "./delivery-deps.ts";
import { appendAndSignal } from "./event-append.ts";
import { createRunKind, type RunKind } from "./run-kind.ts";
import { createTaskKind, type TaskKind } from "./task-kind.ts";

/** The two kinds of work over one store and bus. */
export interface Kinds {
  readonly runs: RunKind;
  readonly tasks: TaskKind;
}

export function createKinds(deps: DeliveryDeps): Kinds {
  const append: AppendEvents = async (address, events) => {
    await appendAndSignal(deps, address, events);
  };
  const tasks = createTaskKind(deps, append);
  return { tasks, runs: createRunKind(deps, append, tasks) };
}
