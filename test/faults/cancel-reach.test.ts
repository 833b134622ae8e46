import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { delay, withDeadline } from "@antler/platform";

import { processesWith } from "../harness/processes-with.ts";
import {
  cancelAndWatch,
  type Cancelled,
  markOf,
  newThread,
  startMarked,
  STOPPED_WITHIN_MS,
} from "./stack/cancelled-run.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import type { GatedScriptOptions } from "./stack/gated-script.ts";
import { type MarkedScripts, markedScripts } from "./stack/marked-scripts.ts";
import { expectWhole } from "./stack/whole-run.ts";

interface Work {
  readonly options: (mark: string) => GatedScriptOptions;
  /** Whether the work of the run goes on at full speed. */
  readonly goesOn: (mark: string) => Promise<boolean>;
}

/** One that ignores every polite signal, one that left the session, one forked twice, and one that left the terminal. */
const stubborn = (mark: string) => {
  const forkedTwice = `(setsid sh -c 'sleep ${mark}2 & sleep ${mark}3' >/dev/null 2>&1 &)`;
  const daemons = `setsid sleep ${mark}1 & ${forkedTwice}; nohup setsid sleep ${mark}4 >/dev/null 2>&1 &`;
  return `trap '' TERM INT HUP; ${daemons} sleep ${mark}5`;
};

const WORKS: Readonly<Record<string, Work>> = {
  "that ask the model again and again": {
    options: () => ({ tasks: 2, turns: 100 }),
    goesOn: async (mark) => scripts.taskCallsOf(mark).length >= 6,
  },
  "that run daemons and a command that ignores SIGTERM": {
    options: (mark) => ({ tasks: 2, command: stubborn(mark) }),
    async goesOn(mark) {
      const sleeps = await Promise.all([1, 2, 3, 4, 5].map((n) => processesWith(`sleep ${mark}${n}`)));
      return sleeps.every(({ length }) => length >= 2);
    },
  },
};

const CASE_LIMIT_MS = 120_000;
const COME_WITHIN_MS = 60_000;
const ANSWER_MS = 150;

let stack: FaultStack;
let scripts: MarkedScripts;

beforeAll(async () => {
  stack = await startFaultStack({ size: { gateway: 1, "lead-runner": 1, "subagent-runner": 2 } });
  scripts = markedScripts();
  stack.script(async (request) => {
    await delay(ANSWER_MS);
    return scripts.answer(request);
  });
}, 300_000);
afterAll(() => stack.stop());

async function runAtWork(work: Work, place: number) {
  const client = stack.client();
  const mark = markOf(place);
  scripts.add(mark, work.options(mark));
  const ids = await startMarked(client, mark, await newThread(client));
  await withDeadline(async (signal) => {
    while (!(await work.goesOn(mark))) await delay(50, signal);
  }, COME_WITHIN_MS);
  return { client, scripts, mark, ids, release: () => undefined };
}

async function expectStopped({ ids, ...seen }: Cancelled, cancels: number) {
  const statuses = Array.from({ length: cancels }, () => 202);
  expect(seen).toEqual({ statuses, waitedStatus: 204, lateCalls: 0, survivors: [] });
  const { tasks } = await expectWhole(stack.deps.store, ids.runId, "interrupted");
  expect(tasks.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
}

const works = Object.keys(WORKS);

describe("a cancel reaches the subagents", { timeout: CASE_LIMIT_MS }, () => {
  it.each(works)("%s: nothing of them is left 3 s later [FC-C02]", async (name) => {
    const run = await runAtWork(WORKS[name]!, works.indexOf(name));

    await expectStopped(await cancelAndWatch(run), 2);
  });

  it.each(works)("%s, when its signal is lost: nothing of them is left 3 s after the next renewal", async (name) => {
    const run = await runAtWork(WORKS[name]!, 10 + works.indexOf(name));
    const losing = stack.busTap.hold("PUB ctl.cancel.", run.ids.runId).then((signal) => signal.drop());
    const withinMs = stack.deps.config.delivery.renewal_seconds * 1000 + STOPPED_WITHIN_MS;
    const cancelled = await cancelAndWatch({ ...run, withinMs, cancels: 1 });
    await losing;

    await expectStopped(cancelled, 1);
  });
});
