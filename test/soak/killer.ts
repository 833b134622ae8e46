import { delay, type Logger, monotonicMs } from "@antler/platform";
import type { WorkRow } from "@antler/store";

import type { FaultStack } from "../faults/stack/fault-stack.ts";
import type { ServiceName } from "../harness/service-process.ts";
import type { SeededRandom } from "./seeded-random.ts";

const SERVICES: readonly ServiceName[] = ["gateway", "lead-runner", "subagent-runner"];

export interface Killer {
  readonly kills: Readonly<Record<ServiceName, number>>;
  /** How long each piece of work of a killed worker took until it was executed again. */
  readonly recoveriesMs: readonly number[];
  /** Ends when the time is over and everything it killed has been replaced. */
  readonly done: Promise<void>;
}

export interface KillerOptions {
  readonly stack: FaultStack;
  readonly random: SeededRandom;
  readonly logger: Logger;
  /** Ends the killing. */
  readonly signal: AbortSignal;
}

const PAUSE_MS = { low: 2000, high: 6000 };

/** Kills a random replica of one service after the other with SIGKILL; each service comes equally often. */
export function startKiller(options: KillerOptions): Killer {
  const kills: Record<ServiceName, number> = { gateway: 0, "lead-runner": 0, "subagent-runner": 0 };
  const recoveriesMs: number[] = [];
  const watches: Promise<void>[] = [];
  const loop = async () => {
    const { stack, random, signal, logger } = options;
    for (;;) {
      for (const name of random.shuffled(SERVICES)) {
        await delay(random.between(PAUSE_MS.low, PAUSE_MS.high), signal).catch(() => undefined);
        if (signal.aborted) return;
        const victim = random.shuffled(stack.fleet.of(name))[0];
        if (victim === undefined) continue;
        await stack.fleet.kill(victim);
        kills[name] += 1;
        const abandoned = await workOf(stack, victim.pid);
        logger.info({ name, pid: victim.pid, abandoned: abandoned.length }, "Killed");
        watches.push(...abandoned.map((work) => watch(work, monotonicMs(), recoveriesMs)));
        await stack.fleet.heal();
      }
    }
  };
  const done = loop().then(async () => {
    await Promise.all(watches);
  });
  return { kills, recoveriesMs, done };
}

interface Work {
  readonly row: WorkRow;
  readonly read: () => Promise<WorkRow | undefined>;
}

/** What a process that is gone was executing. */
async function workOf({ deps: { store } }: FaultStack, pid: number): Promise<Work[]> {
  const held = { status: "running", "claim.pid": pid };
  const runs = await store.runs.find(held, 1000);
  const tasks = await store.tasks.find(held, 1000);
  return [
    ...runs.map((row) => ({ row, read: () => store.runs.get(row._id) })),
    ...tasks.map((row) => ({ row, read: () => store.tasks.get(row._id) })),
  ];
}

const WATCH_MS = 250;
const WATCH_LIMIT_MS = 120_000;

async function watch({ row, read }: Work, killedAtMs: number, recoveriesMs: number[]): Promise<void> {
  for (;;) {
    await delay(WATCH_MS);
    const now = await read();
    const waitedMs = monotonicMs() - killedAtMs;
    if ((now !== undefined && now.epoch > row.epoch) || waitedMs > WATCH_LIMIT_MS) {
      recoveriesMs.push(Math.round(waitedMs));
      return;
    }
  }
}
