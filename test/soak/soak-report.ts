import type { ServiceName } from "../harness/service-process.ts";

export interface SoakReport {
  readonly seed: number;
  readonly runs: number;
  readonly tasks: number;
  readonly kills: Readonly<Record<ServiceName, number>>;
  readonly lost: number;
  readonly doubled: number;
  readonly recovery_ms: { readonly median: number | null; readonly max: number | null };
}

export function recoveryOf(recoveriesMs: readonly number[]): SoakReport["recovery_ms"] {
  const sorted = recoveriesMs.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor((sorted.length - 1) / 2)] ?? null, max: sorted.at(-1) ?? null };
}

const LEAST_KILLS = 3;
const LEAST_RUNS_A_MINUTE = 20;
const LEAST_TASKS_A_MINUTE = 200;
/** Time beyond the bus's ack_wait in which work of a killed worker must be executed again. */
const RECOVERY_MARGIN_MS = 5000;

export interface SoakTerms {
  readonly minutes: number;
  readonly ackWaitMs: number;
}

/** Why the soak failed; nothing when it did not. */
export function soakFaults(report: SoakReport, { minutes, ackWaitMs }: SoakTerms): string[] {
  const slowest = report.recovery_ms.max ?? 0;
  const limitMs = ackWaitMs + RECOVERY_MARGIN_MS;
  const seldom = Object.entries(report.kills).filter(([, count]) => count < LEAST_KILLS);
  const few = report.runs < LEAST_RUNS_A_MINUTE * minutes || report.tasks < LEAST_TASKS_A_MINUTE * minutes;
  return [
    ...(report.lost > 0 ? [`${report.lost} lost`] : []),
    ...(report.doubled > 0 ? [`${report.doubled} doubled`] : []),
    ...(slowest > limitMs ? [`a recovery took ${slowest} ms, at most ${limitMs} are allowed`] : []),
    ...(report.recovery_ms.max === null ? ["no process that was killed had work"] : []),
    ...seldom.map(([name, count]) => `${name} was killed ${count} times, at least ${LEAST_KILLS} are needed`),
    ...(few ? [`${report.runs} runs and ${report.tasks} tasks are too few for ${minutes} minutes`] : []),
  ];
}
