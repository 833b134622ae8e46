import { performance } from "node:perf_hooks";

/** A terminal and npm each deliver the same Ctrl-C, so signals this close together are one. */
const sameInterruptMs = 200;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Requests from outside to end: the first asks, the second insists. */
export interface Interrupts {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** The exit code for the signal that came; undefined before. */
  exitCode(): number | undefined;
  /** Called at the second one. */
  onSecond(listener: () => void): void;
}

export function listenForInterrupts(): Interrupts {
  const first = new AbortController();
  const listeners: (() => void)[] = [];
  let exitCode: number | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const receive = (name: keyof typeof exitCodes): void => {
    const isSame = performance.now() - lastAt < sameInterruptMs;
    lastAt = performance.now();
    if (isSame) return;
    exitCode ??= exitCodes[name];
    if (first.signal.aborted) for (const listener of listeners) listener();
    else first.abort();
  };
  for (const name of Object.keys(exitCodes) as (keyof typeof exitCodes)[]) process.on(name, () => receive(name));
  return { signal: first.signal, exitCode: () => exitCode, onSecond: (listener) => void listeners.push(listener) };
}
