import { monotonicMs } from "./clock.ts";
import type { Logger } from "./logger.ts";

export interface DrainStep {
  readonly name: string;
  readonly run: (cutoff: AbortSignal) => Promise<void>;
}

export interface DrainLimits {
  readonly graceMs: number;
  readonly logger: Logger;
}

/** How long a step may go on after the cutoff before it is left behind. */
const AFTER_CUTOFF_MS = 5000;

/** Runs the steps in order and returns whether one of them failed or was left behind. */
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

async function runStep(step: DrainStep, cutoff: AbortSignal, logger: Logger): Promise<boolean> {
  const startedMs = monotonicMs();
  const limit = leftBehind(cutoff);
  try {
    await Promise.race([step.run(cutoff), limit.reached]);
    logger.debug({ step: step.name, duration_ms: Math.round(monotonicMs() - startedMs) }, "Drain step is done");
    return true;
  } catch (error) {
    logger.error({ step: step.name, err: error }, "Drain step failed");
    return false;
  } finally {
    limit.close();
  }
}

function leftBehind(cutoff: AbortSignal): { reached: Promise<never>; close(): void } {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => {
      reject(new Error(`Not done ${AFTER_CUTOFF_MS} ms after the cutoff`));
    }, AFTER_CUTOFF_MS);
  };
  if (cutoff.aborted) arm();
  else cutoff.addEventListener("abort", arm, { once: true });
  const close = () => {
    cutoff.removeEventListener("abort", arm);
    clearTimeout(timer);
  };
  return { reached, close };
}
