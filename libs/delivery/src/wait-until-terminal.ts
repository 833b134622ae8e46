import type { Bus } from "@antler/bus";
import { AntlerError, subjects } from "@antler/contracts";
import type { WorkRow } from "@antler/store";

import { createWakeup } from "./wakeup.ts";
import type { WorkKind } from "./work-kind.ts";

export interface WaitOptions {
  readonly bus: Bus;
  /** Ends the wait with its reason. */
  readonly signal: AbortSignal;
  /** How often the ledger is read again, in case the signal was lost. */
  readonly pollMs: number;
}

/** Waits for a row to end: woken by its settled signal, re-reading the ledger in case that was lost. */
export async function waitUntilTerminal<Row extends WorkRow>(
  { name, ledger, isTerminal }: Pick<WorkKind<Row, never>, "name" | "ledger" | "isTerminal">,
  id: string,
  { bus, signal, pollMs }: WaitOptions,
): Promise<Row> {
  const wakeup = createWakeup();
  const subscription = bus.subscribe(subjects.settled(name, id), () => {
    wakeup.wake();
  });
  try {
    for (;;) {
      const row = await ledger.get(id);
      if (row === undefined) throw new AntlerError(`${name}_not_found`, `${name} ${id} is not in the ledger`);
      if (isTerminal(row)) return row;
      await wakeup.wait(pollMs, signal);
    }
  } finally {
    subscription.close();
  }
}
