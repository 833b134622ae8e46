import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { calls, inputText, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import { gatedScript } from "./stack/gated-script.ts";
import { mountSmallDisk, type SmallDisk } from "./stack/small-disk.ts";
import { expectWhole, settledSnapshot } from "./stack/whole-run.ts";

const CASE_LIMIT_MS = 180_000;
const SKIP_REASON = "a small file system can only be mounted by root";

let stack: FaultStack | undefined;
let workspaces: SmallDisk | undefined;
let temporary: SmallDisk | undefined;
beforeAll(async () => {
  [workspaces, temporary] = [await mountSmallDisk(), await mountSmallDisk()];
  if (workspaces === undefined || temporary === undefined) return;
  const places = { ANTLER_WORKSPACES_DIR: workspaces.path, TMPDIR: temporary.path };
  stack = await startFaultStack({
    size: { gateway: 1, "lead-runner": 1, "subagent-runner": 1 },
    environment: () => places,
  });
}, 300_000);
beforeEach((context) => {
  if (stack !== undefined) return;
  Object.assign(context.task.meta, { skip_reason: SKIP_REASON });
  context.skip(SKIP_REASON);
});
afterEach(async () => {
  await workspaces?.empty();
  await temporary?.empty();
});
afterAll(async () => {
  await stack?.stop();
  await workspaces?.[Symbol.asyncDispose]();
  await temporary?.[Symbol.asyncDispose]();
});

const write = { name: "write_file", args: { description: "work", path: "/mnt/user-data/workspace/report.txt" } };
const WRITE = { ...write, args: { ...write.args, content: "x".repeat(64 * 1024) } };
const RUN = { name: "bash", args: { description: "work", command: "yes > /mnt/user-data/workspace/numbers.txt" } };
const ECHO = { name: "bash", args: { description: "work", command: "echo all is well" } };

interface Call {
  readonly name: string;
  readonly args: object;
}

/** A run whose one subagent makes these calls once `meanwhile` is done; what it was answered. */
async function runWith(toolCalls: readonly Call[], meanwhile: () => Promise<void> = async () => undefined) {
  const lead = gatedScript({ tasks: 1 });
  const answers: string[] = [];
  const subagent = async ({ messages }: ModelRequest) => {
    const results = messages.filter(({ role }) => role === "tool");
    answers.push(...results.map(({ content }) => inputText(content)));
    if (results.length > 0) return says("Finished.");
    await meanwhile();
    return calls(...toolCalls);
  };
  stack?.script((request) => (isLead(request) ? lead.answer(request) : subagent(request)));
  const { runId } = await stack!.client().startRun();
  return { runId, answers };
}

/** All processes are those that were started, and say that they are well. */
async function expectHealthy(): Promise<void> {
  const services = (["gateway", "lead-runner", "subagent-runner"] as const).flatMap((name) => stack!.fleet.of(name));
  expect(services).toHaveLength(3);
  for (const { port } of services) {
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  }
}

describe("no space is left", { timeout: CASE_LIMIT_MS }, () => {
  it("in the workspaces: each tool says so, and the task goes on", { tags: ["short"] }, async () => {
    const { runId, answers } = await runWith([WRITE, RUN], () => workspaces!.fill());

    const { tasks } = await expectWhole(stack!.deps.store, runId);
    expect(tasks).toMatchObject([{ status: "completed", attempt: 1 }]);
    expect(answers[0]).toContain("cannot be written, because the disk is full");
    expect(answers[1]).toMatch(/No space left on device[^]*Exit Code: 1/);
    await expectHealthy();
  });

  it("for one more folder in the workspaces: the run fails with its reason, and the next one succeeds", async () => {
    await workspaces!.fillWithFiles();
    const { runId } = await runWith([ECHO]);

    const { run } = await settledSnapshot(stack!.deps.store, runId);
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.error)).toContain("because the disk is full");
    expect(JSON.stringify(run.error)).not.toContain(workspaces!.path);
    await workspaces!.empty();
    await expectWhole(stack!.deps.store, (await runWith([ECHO])).runId);
    await expectHealthy();
  });

  it("in the temporary directory of the services: a command is refused with the reason, the task goes on", async () => {
    const full = await runWith([ECHO], () => temporary!.fillWithFiles());

    expect((await expectWhole(stack!.deps.store, full.runId)).tasks).toMatchObject([
      { status: "completed", attempt: 1 },
    ]);
    expect(full.answers[0]).toContain("no space is left in the temporary directory of this service");
    expect(full.answers[0]).not.toContain(temporary!.path);
    await temporary!.empty();
    const again = await runWith([ECHO]);
    await expectWhole(stack!.deps.store, again.runId);
    expect(again.answers).toEqual(["all is well"]);
    await expectHealthy();
  });
});
