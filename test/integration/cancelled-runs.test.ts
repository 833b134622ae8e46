import { readdir, readFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient, type RunIds } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

/** How the sleeps of this test begin; no other process on the machine has them. */
const SLEEP = `sleep 300.${String(process.pid)}`;
const TYPES = ["general-purpose", "bash"];
const sleepOf = (type: string) => `${SLEEP}${String(TYPES.indexOf(type) + 1)}`;

/** Nothing that a cancelled run started may live longer. */
const GONE_WITHIN_MS = 3000;

let stack: ServiceStack;
let client: GatewayClient;

/** A lead that delegates twice; each subagent starts a shell that sleeps. */
function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (!isLead(request)) return results === 0 ? calls(bash(typeOf(request))) : says("Slept.");
  if (results > 0) return says("All slept.");
  return calls(
    ...TYPES.map((type, index) => ({
      name: "task",
      args: { description: "sleep", prompt: `Sleep as ${type}.`, subagent_type: type },
      id: `call_sleep_${index + 1}`,
    })),
  );
}

const bash = (type: string) => ({ name: "bash", args: { description: "sleep", command: sleepOf(type) } });

function typeOf(request: ModelRequest): string {
  const asked = JSON.stringify(request.messages.filter(({ role }) => role === "user"));
  return TYPES.find((type) => asked.includes(`Sleep as ${type}.`)) ?? "";
}

/** Ids of the processes whose command line holds the text, except of this one. */
async function processesOf(text: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index]?.replaceAll("\0", " ").includes(text));
}

async function sleepingRun(): Promise<RunIds> {
  const ids = await client.startRun();
  for (const type of TYPES) await expect.poll(() => processesOf(sleepOf(type)), { timeout: 20_000 }).not.toEqual([]);
  return ids;
}

beforeAll(async () => {
  stack = await startServiceStack({ answer });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

describe("a run that is cancelled while its subagents run commands", () => {
  it("FC-A05 FC-C02 DF-T21 DF-T23 has nothing of it left when the cancel has been waited for", async () => {
    const before = stack.model.requests.length;
    const ids = await sleepingRun();
    const cancelled = await client.post(`/threads/${ids.threadId}/runs/${ids.runId}/cancel?wait=true`);

    expect(cancelled.status).toBe(204);
    await expect.poll(() => processesOf(SLEEP), { timeout: GONE_WITHIN_MS }).toEqual([]);
    expect(stack.model.requests).toHaveLength(before + 3);
    const run = await client.get<{ status: string; stop_reason: string; usage: object }>(`/runs/${ids.runId}`);
    expect(run).toMatchObject({ status: "interrupted", stop_reason: "cancelled", usage: { total_tokens: 3 * 15 } });
    const tasks = await client.get<{ status: string; usage: object }[]>(`/runs/${ids.runId}/tasks`);
    expect(tasks.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    const records = await stack.deps.store.usage.list(ids.runId);
    expect(records.map(({ caller }) => caller).sort()).toEqual(["lead", "subagent:bash", "subagent:general-purpose"]);
  });

  it("FC-A04 leaves a cancelled result for each call, which the next run does not revive", async () => {
    const ids = await sleepingRun();
    await client.post(`/threads/${ids.threadId}/runs/${ids.runId}/cancel?wait=true`);
    const before = stack.model.requests.length;
    const input = { messages: [{ role: "user", content: "What happened?" }] };
    const next = await client.post(`/threads/${ids.threadId}/runs`, { assistant_id: "lead", input });
    await client.join({ threadId: ids.threadId, runId: (next.body as { run_id: string }).run_id });

    const { values } = await client.get<{ values: { messages: { type: string; additional_kwargs?: object }[] } }>(
      `/threads/${ids.threadId}/state`,
    );
    const results = values.messages.filter(({ type }) => type === "tool");
    expect(results.map(({ additional_kwargs: facts }) => facts)).toMatchObject([
      { subagent_status: "cancelled" },
      { subagent_status: "cancelled" },
    ]);
    expect(stack.model.requests.slice(before).filter((request) => !isLead(request))).toEqual([]);
    await expect.poll(() => processesOf(SLEEP), { timeout: GONE_WITHIN_MS }).toEqual([]);
  });
});
