import { runMain } from "./run-main.ts";

/**
 * Starts a service as {@link runMain} does. `start` imports the service itself, which takes a while. A signal that comes
 * before the service listens for it ends the process with code 0, since nothing has begun: without a listener it would
 * be lost in the first process of a container.
 */
export function runService(start: () => Promise<void>): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => endUnlessHeard(signal));
  runMain(start);
}

/** The lifecycle of a service listens too and ends the process in order. */
function endUnlessHeard(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) process.exit(0);
}
