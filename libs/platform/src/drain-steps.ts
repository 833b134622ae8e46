import { messageOf } from "@antler/contracts";

import { monotonicMs } from "./clock.ts";
import type { Logger } from "./logger.ts";

export interface DrainStep {
  readonly name: string;
  readonly run: (cutoff: AbortSignal) => Promise<void>;
  /**
   * Longest time of a step that only closes something, whose failure is no failure of the drain: the end of the process
   * closes it too. A step without it may go on for 5 s beyond the cutoff.
   */
  readonly limitMs?: number;
}

export interface DrainLimits {
  readonly graceMs: number;
  readonly logger: Logger;
}

/** How long a step that waits for work may go on after the cutoff before it is left behind. */
const AFTER_CUTOFF_MS = 5000;

/** Runs the steps in order and returns whether one that does more than close failed or was left behind. */
export async function runDrainSteps(steps: readonly DrainStep[], { graceMs, logger }: DrainLimits): Promise<boolean> {
  const cutoff = new AbortController();
  const timer = setTimeout(() => {
    logger.warn({ grace_ms: graceMs }, "Grace is over");
    cutoff.abort(new Error("The grace of the drain is over"));
  }, graceMs);
  let failed = false;
  for (const step of steps) {
    if (!(await runStep(step, cutoff.signal, logger))) failed = true;
  }
  clearTimeout(timer);
  return failed;
}

/** Longest time of all flushes together. */
const FLUSH_LIMIT_MS = 2000;

/** Runs all flushes at the same time, for at most 2 s. One that fails or takes longer is logged and nothing else. */
export async function runFlushes(flushes: readonly DrainStep[], logger: Logger): Promise<void> {
  const limit = leftBehind(AbortSignal.abort(), FLUSH_LIMIT_MS);
  const flush = async ({ name, run }: DrainStep): Promise<void> => {
    try {
      await Promise.race([run(limit.signal), limit.reached]);
    } catch (error) {
      logger.warn({ flush: name, err: messageOf(error) }, "What was left could not be flushed");
    }
  };
  await Promise.all(flushes.map(flush));
  limit.close();
}

async function runStep(step: DrainStep, cutoff: AbortSignal, logger: Logger): Promise<boolean> {
  const startedMs = monotonicMs();
  const limit =
    step.limitMs === undefined ? leftBehind(cutoff, AFTER_CUTOFF_MS) : leftBehind(AbortSignal.abort(), step.limitMs);
  try {
    await Promise.race([step.run(cutoff), limit.reached]);
    logger.debug({ step: step.name, duration_ms: Math.round(monotonicMs() - startedMs) }, "Drain step is done");
    return true;
  } catch (error) {
    const closesOnly = step.limitMs !== undefined;
    logger[closesOnly ? "warn" : "error"]({ step: step.name, err: error }, "Drain step failed");
    return closesOnly;
  } finally {
    limit.close();
  }
}

interface Limit {
  /** Rejects `limitMs` after `from` has aborted. */
  readonly reached: Promise<never>;
  /** Aborts at the same time. */
  readonly signal: AbortSignal;
  close(): void;
}

function leftBehind(from: AbortSignal, limitMs: number): Limit {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    const error = new Error(`Not done within ${limitMs} ms`);
    over.abort(error);
    reject(error);
  };
  const arm = () => {
    timer = setTimeout(end, limitMs);
  };
  reached.catch(() => undefined);
  if (from.aborted) arm();
  else from.addEventListener("abort", arm, { once: true });
  const close = () => {
    from.removeEventListener("abort", arm);
    clearTimeout(timer);
  };
  return { reached, signal: over.signal, close };
}
