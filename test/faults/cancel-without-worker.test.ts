import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { RunView } from "@antler/contracts";

import type { ServiceName } from "../harness/service-process.ts";
import { cancelAndWatch, markOf, newThread, openCallsOf, startMarked } from "./stack/cancelled-run.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { type MarkedScripts, markedScripts } from "./stack/marked-scripts.ts";
import { expectWhole } from "./stack/whole-run.ts";

const CASE_LIMIT_MS = 180_000;

let stack: FaultStack;
let scripts: MarkedScripts;
let place = 0;

beforeAll(async () => {
  const size = { gateway: 1, "lead-runner": 1, "subagent-runner": 1 };
  stack = await startFaultStack({ size, document: () => ({ delivery: { drain_grace_seconds: 1 } }) });
  scripts = markedScripts();
  stack.script((request) => scripts.answer(request));
}, 300_000);
afterEach(() => stack.fleet.heal(), 300_000);
afterAll(() => stack.stop());

async function end(name: ServiceName, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const [service] = stack.fleet.of(name);
  service?.kill(signal);
  await service?.exited;
}

async function begin() {
  place += 1;
  const mark = markOf(place);
  const script = scripts.add(mark);
  const threadId = await newThread(stack.client());
  const start = () => startMarked(stack.client(), mark, threadId);
  const given = { client: stack.client(), scripts, mark };
  return { script, start, given };
}

const statusOf = async (runId: string) => (await stack.deps.store.runs.get(runId))?.status;
const tasksOf = (runId: string) => stack.deps.store.tasks.listByRun(runId);

/** The next run sees the end of every call, and ends well. */
async function expectNextRun(threadId: string): Promise<void> {
  const mark = `${threadId}-next`;
  scripts.add(mark, { tasks: 1 });
  const { runId } = await startMarked(stack.client(), mark, threadId);
  await expectWhole(stack.deps.store, runId);
  expect(await openCallsOf(stack.client(), threadId)).toEqual([]);
}

const STOPPED = { statuses: [202, 202], waitedStatus: 204, lateCalls: 0, survivors: [] };

describe("a cancel", { timeout: CASE_LIMIT_MS }, () => {
  it("of a run that no lead has claimed ends it at once", async () => {
    await end("lead-runner", "SIGKILL");
    const { start, given } = await begin();
    const ids = await start();
    const { status } = await stack.client().post(`/threads/${ids.threadId}/runs/${ids.runId}/cancel`);
    const run = await stack.client().get<RunView>(`/runs/${ids.runId}`);

    expect(status).toBe(202);
    expect(run).toMatchObject({ status: "interrupted", stop_reason: "cancelled", attempts: 0 });
    expect(await cancelAndWatch({ ...given, ids, release: () => undefined })).toEqual({ ids, ...STOPPED });
    expect((await expectWhole(stack.deps.store, ids.runId, "interrupted")).events).toMatchObject([{ type: "run.end" }]);
    await stack.fleet.heal();
    await expectNextRun(ids.threadId);
  });

  it("of a run that its lead gave back ends it after its tasks, which end at once", async () => {
    const { script, start, given } = await begin();
    const held = script.taskCall(1);
    const ids = await start();
    await held.reached;
    await end("lead-runner", "SIGTERM");
    expect(await statusOf(ids.runId)).toBe("pending");
    expect((await tasksOf(ids.runId)).map(({ status }) => status)).toEqual(["running", "running"]);

    expect(await cancelAndWatch({ ...given, ids, release: held.open })).toEqual({ ids, ...STOPPED });
    const { run, tasks, events } = await expectWhole(stack.deps.store, ids.runId, "interrupted");
    for (const task of tasks) expect(task.ended_at?.getTime()).toBeLessThanOrEqual(run.ended_at?.getTime() ?? 0);
    expect(events.at(-1)).toMatchObject({ type: "run.end", data: { stop_reason: "cancelled" } });
    await stack.fleet.heal();
    await expectNextRun(ids.threadId);
  });

  it("of a run whose lead has died ends its tasks at once, and the run when the lease is over", async () => {
    const { script, start, given } = await begin();
    const held = script.taskCall(1);
    const ids = await start();
    await held.reached;
    await end("lead-runner", "SIGKILL");

    expect(await cancelAndWatch({ ...given, ids, release: held.open })).toEqual({ ids, ...STOPPED });
    const { tasks } = await expectWhole(stack.deps.store, ids.runId, "interrupted");
    expect(tasks.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    await stack.fleet.heal();
    await expectNextRun(ids.threadId);
  });

  it("of a run whose tasks are queued ends them before any subagent has begun", async () => {
    await end("subagent-runner", "SIGKILL");
    const { start, given } = await begin();
    const ids = await start();
    await expect.poll(() => tasksOf(ids.runId), { timeout: 60_000 }).toHaveLength(2);

    expect(await cancelAndWatch({ ...given, ids, release: () => undefined })).toEqual({ ids, ...STOPPED });
    const { tasks } = await expectWhole(stack.deps.store, ids.runId, "interrupted");
    expect(tasks).toMatchObject([
      { status: "cancelled", attempt: 0 },
      { status: "cancelled", attempt: 0 },
    ]);
    expect(scripts.taskCallsOf(given.mark)).toEqual([]);
    expect(await openCallsOf(stack.client(), ids.threadId)).toEqual([]);
    await stack.fleet.heal();
    await expectNextRun(ids.threadId);
  });
});
