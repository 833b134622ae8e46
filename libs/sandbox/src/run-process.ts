import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";

import { delay, monotonicMs } from "@antler/platform";

import { createOutputCollector } from "./command-output.ts";
import type { OutputPipe } from "./output-pipe.ts";
import { openOutputPipe } from "./output-pipe.ts";
import type { CommandResult } from "./sandbox.ts";

/** How long the output of a dead command is waited for: a process that escaped may still hold the pipe. */
const OUTPUT_GRACE_MS = 1000;

export interface ProcessPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Rewrites the output before it is shown. */
  mask(output: string): string;
  /** Whether the child writes about itself to descriptor 3. */
  readonly hasInfo: boolean;
  /** Called once, right after the start. */
  watch(child: ChildProcess): ProcessKiller;
}

export interface ProcessKiller {
  /** Kills all that the command started and is still alive; called after every command, also one that ended well. */
  kill(): Promise<void>;
}

export interface ProcessLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs a process to its end, its timeout or an abort; returns when all that it started is dead.
 * Rejects with the signal's reason after an abort, and with the system's error when it cannot be started.
 */
export async function runProcess(plan: ProcessPlan, limits: ProcessLimits): Promise<CommandResult> {
  limits.signal.throwIfAborted();
  const startedMs = monotonicMs();
  const collector = createOutputCollector((text) => plan.mask(text));
  const pipe = await openOutputPipe((bytes) => collector.push(bytes));
  try {
    const ended = once(pipe.source.resume(), "close");
    const { child, isLate } = await runToEnd(plan, pipe, limits);
    await Promise.race([ended, delay(OUTPUT_GRACE_MS)]);
    limits.signal.throwIfAborted();
    return { ...endOf(child, isLate), ...collector.end(), durationMs: Math.round(monotonicMs() - startedMs) };
  } finally {
    pipe.source.destroy();
  }
}

async function runToEnd(
  plan: ProcessPlan,
  pipe: OutputPipe,
  limits: ProcessLimits,
): Promise<{ readonly child: ChildProcess; readonly isLate: boolean }> {
  const child = start(plan, pipe.writeDescriptor);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.all([once(child, "spawn"), pipe.closeWriter()]);
  const killer = plan.watch(child);
  const isLate = await outlasts(exited, limits);
  await killer.kill();
  await exited;
  return { child, isLate };
}

function start(plan: ProcessPlan, output: number): ChildProcess {
  return spawn(plan.file, [...plan.args], {
    cwd: plan.cwd,
    env: { ...plan.env },
    detached: true,
    stdio: plan.hasInfo ? ["ignore", output, output, "pipe"] : ["ignore", output, output],
  });
}

/** Waits for the exit; true when the time is over first, false also after an abort. */
async function outlasts(exited: Promise<unknown>, { timeoutMs, signal }: ProcessLimits): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => over.resolve(true), timeoutMs);
  const abort = () => over.resolve(false);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([exited.then(() => false), over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function endOf(child: ChildProcess, timedOut: boolean): Pick<CommandResult, "exitCode" | "signal" | "timedOut"> {
  if (timedOut) return { exitCode: null, signal: "SIGKILL", timedOut };
  return { exitCode: child.exitCode, signal: child.signalCode, timedOut };
}
