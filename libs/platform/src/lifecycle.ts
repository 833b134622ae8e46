import { AntlerError, messageOf } from "@antler/contracts";

import { type DrainStep, runDrainSteps, runFlushes } from "./drain-steps.ts";
import type { Logger } from "./logger.ts";

export type LifecycleState = "starting" | "ready" | "draining" | "stopped";

export interface LifecycleOptions {
  readonly logger: Logger;
  /** How long a drain lets running work go on before `cutoff` aborts. */
  readonly graceMs: number;
}

export interface Lifecycle {
  readonly state: LifecycleState;
  readonly isReady: boolean;
  /** Aborts, with AntlerError `drained` as its reason, when the process begins to drain. */
  readonly draining: AbortSignal;
  markReady(): void;
  /**
   * Adds a step of the drain. Steps run one after the other in order of registration, a failing one stops none of the
   * others, and one that goes on 5 s beyond `cutoff` is left behind.
   */
  onDrain(name: string, step: DrainStep["run"]): void;
  /**
   * Adds a step that closes something, in the same order. It waits for no work: after 5 s it is left behind, and neither
   * that nor its failure shows in the exit code.
   */
  onClose(name: string, close: () => Promise<void>): void;
  /**
   * Adds what is sent off at the very end, when all steps are done: all flushes at the same time, for at most 2 s, when
   * `limit` aborts. A flush that fails or takes longer does not show in the exit code.
   */
  onFlush(name: string, flush: (limit: AbortSignal) => Promise<void>): void;
  /** Drains as a signal would. */
  drain(reason: string): void;
}

const FATAL_GRACE_MS = 5000;
const CLOSE_LIMIT_MS = 5000;

/**
 * The states of a service process. SIGTERM or SIGINT drains it and ends it with code 0, or 1 when a step failed; a
 * second signal changes nothing. An uncaught error drains it within 5 s and ends it with code 1.
 */
export function createLifecycle({ logger, graceMs }: LifecycleOptions): Lifecycle {
  const steps: DrainStep[] = [];
  const flushes: DrainStep[] = [];
  const draining = new AbortController();
  let state: LifecycleState = "starting";
  let exitCode = 0;

  const enter = (next: LifecycleState, fields: object = {}) => {
    logger.info({ from: state, to: next, ...fields }, "Process changed state");
    state = next;
  };
  const drain = (reason: string, limitMs: number) => {
    if (state === "draining" || state === "stopped") return;
    enter("draining", { reason });
    draining.abort(new AntlerError("drained", `The process drains: ${reason}`));
    void finish(limitMs);
  };
  const finish = async (limitMs: number) => {
    if (await runDrainSteps(steps, { graceMs: limitMs, logger })) exitCode = 1;
    await runFlushes(flushes, logger);
    enter("stopped", { exit_code: exitCode });
    process.exit(exitCode);
  };
  const fail = (error: unknown) => {
    exitCode = 1;
    logger.fatal({ err: error }, "Uncaught error");
    drain(`uncaught error: ${messageOf(error)}`, Math.min(graceMs, FATAL_GRACE_MS));
  };

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      drain(signal, graceMs);
    });
  }
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  return {
    get state() {
      return state;
    },
    get isReady() {
      return state === "ready";
    },
    draining: draining.signal,
    markReady: () => {
      if (state === "starting") enter("ready");
    },
    onDrain: (name, run) => {
      steps.push({ name, run });
    },
    onClose: (name, run) => {
      steps.push({ name, run, limitMs: CLOSE_LIMIT_MS });
    },
    onFlush: (name, run) => {
      flushes.push({ name, run });
    },
    drain: (reason) => {
      drain(reason, graceMs);
    },
  };
}
