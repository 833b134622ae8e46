import { SetupError } from "../setup-error.ts";
import type { Launched } from "./launch.ts";
import type { ProcessSpec } from "./process-spec.ts";

/** Waits until a started process is ready; rejects when it ends before, takes too long, or `signal` aborts. */
export async function becomeReady(spec: ProcessSpec, launched: Launched, signal: AbortSignal): Promise<number> {
  const settled = new AbortController();
  const deadline = AbortSignal.timeout(spec.readyWithinMs);
  const ended = launched.ended.then((end) => {
    throw new SetupError(`${spec.name} ${end} before it was ready`);
  });
  try {
    return await Promise.race([spec.ready(launched, AbortSignal.any([signal, deadline, settled.signal])), ended]);
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new SetupError(`${spec.name} was not ready within ${spec.readyWithinMs / 1000} s`, { cause: error });
  } finally {
    settled.abort();
  }
}
