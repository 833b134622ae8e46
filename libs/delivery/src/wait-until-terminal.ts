import type { Bus } from "@antler/bus";
import { AntlerError, subjects } from "@antler/contracts";
import type { WorkLedger, WorkRow } from "@antler/store";

import { createWakeup } from "./wakeup.ts";

export interface TerminalWait<Row> {
  readonly bus: Bus;
  readonly name: "run" | "task";
  readonly ledger: Pick<WorkLedger<Row & WorkRow>, "get">;
  readonly isTerminal: (row: Row) => boolean;
}

export interface WaitOptions {
  /** Ends the wait with its reason. */
  readonly signal: AbortSignal;
  /** How often the ledger is read again, in case the signal was lost. */
  readonly pollMs: number;
}

/** Waits for a row to end: woken by its settled signal, re-reading the ledger in case that was lost. */
export async function waitUntilTerminal<Row extends WorkRow>(
  { bus, name, ledger, isTerminal }: TerminalWait<Row>,
  id: string,
  { signal, pollMs }: WaitOptions,
): Promise<Row> {
  const wakeup = createWakeup();
  const subscription = bus.subscribe(subjects.settled(name, id), () => wakeup.wake());
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
