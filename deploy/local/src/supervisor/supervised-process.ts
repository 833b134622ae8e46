import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "@antler/contracts";

import { isSetupError, SetupError } from "../setup-error.ts";
import { becomeReady } from "./become-ready.ts";
import { launch, type Launched } from "./launch.ts";
import type { ProcessLog } from "./process-log.ts";
import type { ProcessSpec } from "./process-spec.ts";
import { healthyAfterMs, restartDelayMs } from "./restart-delay.ts";

export interface ProcessSnapshot {
  readonly name: string;
  /** Undefined while it is dead and waits for its restart. */
  readonly pid: number | undefined;
  readonly port: number;
  readonly restarts: number;
}

/** A process that is started again, after a bounded delay, whenever it dies. */
export interface SupervisedProcess {
  snapshot(): ProcessSnapshot;
  /** Asks it to end and waits; kills its whole group when it has not ended after `graceMs`. */
  stop(graceMs: number): Promise<void>;
  /** Kills its whole group at once; it is not started again. */
  kill(): void;
}

export interface SupervisionDeps {
  readonly log: ProcessLog;
  /** Told whenever the process starts or ends, so that the watchdog knows what to end. */
  readonly onChange: (group: number, alive: boolean) => void;
  /** Ends the wait for the first readiness. */
  readonly signal: AbortSignal;
}

interface Current {
  launched: Launched;
  alive: boolean;
  port: number | undefined;
  restarts: number;
}

/** Starts a process and waits until it is ready. One that dies before it was ever ready is a {@link SetupError}. */
export async function supervise(spec: ProcessSpec, deps: SupervisionDeps): Promise<SupervisedProcess> {
  const current = start(spec, deps);
  const port = await becomeReady(spec, current.launched, deps.signal).catch((error: unknown) => {
    current.launched.signal("SIGKILL");
    deps.log.close();
    throw explain(deps.log, error);
  });
  current.port = port;
  const stopping = new AbortController();
  const kept = keepRunning(spec, { ...deps, signal: stopping.signal }, current);
  return {
    snapshot: () => snapshot(spec.name, port, current),
    stop: async (graceMs) => {
      stopping.abort();
      await end(current.launched, graceMs);
      await kept;
    },
    kill: () => {
      stopping.abort();
      current.launched.signal("SIGKILL");
    },
  };
}

function snapshot(name: string, port: number, { alive, launched, restarts }: Current): ProcessSnapshot {
  return { name, pid: alive ? launched.pid : undefined, port, restarts };
}

/** Starts the process, for the first time or again in `before`. */
function start(spec: ProcessSpec, deps: SupervisionDeps, before?: Current): Current {
  const launched = launch(spec.command(before?.port), (line) => deps.log.write(line));
  const current = before ?? { launched, alive: true, port: undefined, restarts: 0 };
  const { pid } = launched;
  Object.assign(current, { launched, alive: pid !== undefined });
  if (pid !== undefined) deps.onChange(pid, true);
  void launched.ended.then(() => {
    current.alive = false;
    if (pid !== undefined) deps.onChange(pid, false);
  });
  return current;
}

/** Restarts the process whenever it ends, until the signal aborts; then closes its log. */
async function keepRunning(spec: ProcessSpec, deps: SupervisionDeps, current: Current): Promise<void> {
  let startedAt = performance.now();
  for (let consecutive = 0; ; consecutive += 1) {
    const how = await current.launched.ended;
    current.launched.signal("SIGKILL");
    if (performance.now() - startedAt >= healthyAfterMs) consecutive = 0;
    if (!(await waitToRestart(deps, how, restartDelayMs(consecutive)))) break;
    startedAt = performance.now();
    current.restarts += 1;
    start(spec, deps, current);
    await becomeReady(spec, current.launched, deps.signal).catch((error: unknown) => {
      deps.log.write(`antler: ${messageOf(error)}`);
      if (!deps.signal.aborted) current.launched.signal("SIGKILL");
    });
  }
  deps.log.close();
}

async function waitToRestart({ log, signal }: SupervisionDeps, how: string, delayMs: number): Promise<boolean> {
  if (signal.aborted) return false;
  log.write(`antler: ${how}; starting it again in ${delayMs} ms`);
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Ends what is left of the group too, such as a command that outlived the service that ran it. */
async function end(launched: Launched, graceMs: number): Promise<void> {
  launched.ask();
  const timer = setTimeout(() => launched.signal("SIGKILL"), graceMs);
  await launched.ended;
  clearTimeout(timer);
  launched.signal("SIGKILL");
}

function explain(log: ProcessLog, error: unknown): Error {
  if (!isSetupError(error)) return error instanceof Error ? error : new Error(String(error));
  const tail = log.tail().map((line) => `  ${line}`);
  return new SetupError([`${error.message}; its log is ${log.path} and ends with:`, ...tail].join("\n"), {
    cause: error,
  });
}
