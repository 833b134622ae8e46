import type { Say } from "../report-step.ts";
import { recordProcesses } from "./leftovers.ts";
import { openProcessLog } from "./process-log.ts";
import type { ProcessSpec } from "./process-spec.ts";
import { type ProcessSnapshot, supervise, type SupervisedProcess } from "./supervised-process.ts";
import { startWatchdog } from "./watchdog.ts";

/** The processes of one stack, guarded by one watchdog. */
export interface Supervisor {
  /** Starts a process, waits until it is ready, and returns the port that it serves. */
  start(spec: ProcessSpec): Promise<number>;
  snapshots(): readonly ProcessSnapshot[];
  /** Stops the named processes at the same time, each within `graceMs`. */
  stop(names: readonly string[], graceMs: number): Promise<void>;
  /** Stops nothing more gently: kills every process group at once. */
  kill(): void;
  /** Ends the watchdog; call it last. */
  close(): void;
}

export interface SupervisorOptions {
  readonly logFolder: string;
  /** Where the living process groups are recorded. */
  readonly recordPath: string;
  /** Told the output of every process; absent when quiet. */
  readonly sayOutput: Say | undefined;
  /** Ends waits for readiness. */
  readonly signal: AbortSignal;
}

export function createSupervisor({ logFolder, recordPath, sayOutput, signal }: SupervisorOptions): Supervisor {
  const watchdog = startWatchdog();
  const processes = new Map<string, SupervisedProcess>();
  const groups = new Set<number>();
  let killed = false;
  const onChange = (group: number, alive: boolean): void => {
    if (alive) groups.add(group);
    else groups.delete(group);
    watchdog.guard([...groups]);
    recordProcesses(recordPath, [...groups]);
  };
  return {
    start: async (spec) => {
      const log = openProcessLog({ folder: logFolder, name: spec.name, say: sayOutput });
      const started = await supervise(spec, { log, onChange, signal });
      processes.set(spec.name, started);
      if (killed) started.kill();
      return started.snapshot().port;
    },
    snapshots: () => [...processes.values()].map((running) => running.snapshot()),
    stop: async (names, graceMs) => {
      await Promise.all(names.map(async (name) => processes.get(name)?.stop(graceMs)));
      for (const name of names) processes.delete(name);
    },
    kill: () => {
      killed = true;
      for (const running of processes.values()) running.kill();
      for (const group of groups) killGroup(group);
    },
    close: () => watchdog.close(),
  };
}

/** Groups of processes that are still starting are in no other list. */
function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}
