import { afterAll, beforeAll, expect, it } from "vitest";

import { delay } from "@antler/platform";

import { markOf, newThread, startMarked } from "./stack/cancelled-run.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { type MarkedScripts, markedScripts } from "./stack/marked-scripts.ts";
import { expectWhole } from "./stack/whole-run.ts";

const CASE_LIMIT_MS = 180_000;
const RUNS = 24;
const PLACES = { interactive: RUNS };

let stack: FaultStack;
let scripts: MarkedScripts;

beforeAll(async () => {
  const pools = { lead: { slots: PLACES, concurrency: PLACES }, general: { slots: PLACES, concurrency: PLACES } };
  const size = { gateway: 1, "lead-runner": 1, "subagent-runner": 1 };
  stack = await startFaultStack({ size, document: () => ({ pools }) });
  scripts = markedScripts();
  stack.script((request) => scripts.answer(request));
}, 300_000);
afterAll(() => stack.stop());

/** A run whose lead has its last answer and whose cancel comes some milliseconds later. */
async function race(place: number) {
  const client = stack.client();
  const mark = markOf(place);
  const last = scripts.add(mark, { tasks: 1 }).leadCall(1);
  const { threadId, runId } = await startMarked(client, mark, await newThread(client));
  await last.reached;
  return async () => {
    last.open();
    await delay(place * 6);
    const { status } = await client.post(`/threads/${threadId}/runs/${runId}/cancel`);
    return { runId, status };
  };
}

it(
  "many runs whose last answer and cancel come at the same moment end as their cancels were answered",
  { timeout: CASE_LIMIT_MS },
  async () => {
    const begins = await Promise.all(Array.from({ length: RUNS }, (_value, place) => race(place)));
    const answers = await Promise.all(begins.map((begin) => begin()));

    for (const { runId, status } of answers) {
      const { run } = await expectWhole(stack.deps.store, runId, status === 202 ? "interrupted" : "success");
      expect([status, run.stop_reason]).toEqual(status === 202 ? [202, "cancelled"] : [409, "completed"]);
    }
    expect(answers.map(({ status }) => status)).toContain(202);
  },
);
