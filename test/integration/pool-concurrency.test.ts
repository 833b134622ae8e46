import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient, type RunIds } from "../harness/gateway-client.ts";
import { surveyAnswers } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { temporaryDirectory } from "../harness/temporary-directory.ts";

const TASKS = 12;
const root = fileURLToPath(new URL("../../", import.meta.url));

function configuration(concurrency: number): object {
  return {
    pools: {
      general: { concurrency: { interactive: concurrency }, slots: { interactive: 4 } },
      bash: { concurrency: { interactive: TASKS } },
    },
    subagents: { max_concurrent: TASKS, max_total_per_run: TASKS },
  };
}

let stack: ServiceStack;
let client: GatewayClient;
/** Subagents that have asked the model and wait for their answer; each is let go by its function. */
const held: (() => void)[] = [];
let executing = 0;
let greatest = 0;

beforeAll(async () => {
  const answer = surveyAnswers({
    types: Array.from({ length: TASKS }, () => "general-purpose"),
    turns: 0,
    beforeAnswer: async () => {
      executing += 1;
      greatest = Math.max(greatest, executing);
      await new Promise<void>((resolve) => held.push(resolve));
      executing -= 1;
    },
  });
  const services = { gateway: 1, "lead-runner": 1, "subagent-runner": 3 };
  stack = await startServiceStack({ document: configuration(2), services, answer });
  client = gatewayClient(stack.url);
}, 120_000);
afterAll(() => stack.stop());

const statuses = async ({ runId }: RunIds) =>
  (await stack.deps.store.tasks.listByRun(runId)).map(({ status }) => status).sort();

/** The run with so many tasks in execution and all others waiting with their tickets. */
async function runWithExecuting(count: number): Promise<RunIds> {
  greatest = 0;
  const ids = await client.startRun();
  const waiting = Array.from({ length: TASKS - count }, () => "pending");
  const running = Array.from({ length: count }, () => "running");
  await expect.poll(() => statuses(ids), { timeout: 30_000 }).toEqual([...waiting, ...running]);
  await expect.poll(() => held.length, { timeout: 30_000 }).toBe(count);
  return ids;
}

/** Lets every subagent go as it comes, until the run has ended. */
async function finish(ids: RunIds): Promise<void> {
  let ended = false;
  const joined = client.join(ids).then(() => (ended = true));
  await expect.poll(() => (held.splice(0).forEach((letGo) => letGo()), ended), { timeout: 60_000 }).toBe(true);
  await joined;
}

describe("a pool", { timeout: 120_000 }, () => {
  it("executes as many tasks at once in the whole cluster as its concurrency says", async () => {
    const ids = await runWithExecuting(2);
    await finish(ids);

    expect(greatest).toBe(2);
    expect(await statuses(ids)).toEqual(Array.from({ length: TASKS }, () => "completed"));
  });

  it("executes more once the topology is applied, without a restart", async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, "antler.yaml");
    await writeFile(path, JSON.stringify(configuration(6)));
    const cli = ["--conditions=antler-dev", "apps/cli/src/main.ts", "topology", "apply", "-c", path];
    const { stdout } = await promisify(execFile)(process.execPath, cli, { cwd: root, env: stack.environment });
    expect(stdout).toMatch(/general_interactive/);

    const ids = await runWithExecuting(6);
    await finish(ids);
    expect(greatest).toBe(6);
  });

  it("gives work to a further runner without a word to the others", async () => {
    const fourth = await stack.start("subagent-runner");
    const pids = new Set<number | undefined>();
    while (!pids.has(fourth.pid)) {
      const ids = await runWithExecuting(6);
      await finish(ids);
      for (const { claim } of await stack.deps.store.tasks.listByRun(ids.runId)) pids.add(claim?.pid);
    }

    expect(pids).toContain(fourth.pid);
  });
});
