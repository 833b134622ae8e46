import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import { isSetupError } from "./setup-error.ts";
import type { Stack, StackOptions } from "./stack/stack-options.ts";
import { startStack } from "./stack/start-stack.ts";
import { watchParent } from "./watch-parent.ts";

/**
 * What a command does with a running stack; returns its exit code. It must end soon after `interrupt` aborts, which
 * the first Ctrl-C does.
 */
export type StackWork = (stack: Stack, interrupt: AbortSignal) => Promise<number>;

/**
 * Starts a stack, does `work`, and stops the stack in order. The first Ctrl-C interrupts the start or the work, the
 * second one ends everything at once. Returns the exit code: 130 after Ctrl-C, 1 when the stack could not start.
 */
export async function runWithStack(options: Omit<StackOptions, "signal">, work: StackWork): Promise<number> {
  const interrupts = listenForInterrupts();
  let stack: Stack | undefined;
  const endAtOnce = (): never => {
    stack?.kill();
    process.exit(interrupts.exitCode() ?? 1);
  };
  interrupts.onSecond(endAtOnce);
  watchParent(options.environment["ANTLER_PARENT_PID"], endAtOnce);
  try {
    stack = await startStack({ ...options, signal: interrupts.signal });
    const exitCode = await work(stack, interrupts.signal);
    return interrupts.exitCode() ?? exitCode;
  } catch (error) {
    return explainFailure(error, interrupts, options);
  } finally {
    await stack?.stop();
  }
}

function explainFailure(error: unknown, interrupts: Interrupts, { say }: Pick<StackOptions, "say">): number {
  const interrupted = interrupts.exitCode();
  if (interrupted !== undefined) return interrupted;
  if (!isSetupError(error)) throw error;
  say(`antler: ${error.message}`);
  return 1;
}
