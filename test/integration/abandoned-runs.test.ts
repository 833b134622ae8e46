import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunView, TaskView } from "@antler/contracts";

import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

/** A wait that no other process on the machine has; it ends when the file is there. */
const GATE = `gate-${String(process.pid)}`;

let stack: ServiceStack;
let client: GatewayClient;

/** A lead that delegates once; its subagent runs a command that waits for the gate of its thread. */
function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (results > 0) return says(isLead(request) ? "All waited." : "Waited.");
  const command = `until [ -e ${GATE} ]; do sleep 0.05; done`;
  if (!isLead(request)) return calls({ name: "bash", args: { description: "wait", command } });
  const args = { description: "wait", prompt: "Wait.", subagent_type: "general-purpose" };
  return calls({ name: "task", args, id: "call_wait" });
}

async function waitingProcesses(): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index]?.includes(GATE));
}

/** Streams a run, waits until its subagent's command runs, and breaks the connection. */
async function abandonedRun(onDisconnect: "cancel" | "continue"): Promise<{ threadId: string; runId: string }> {
  const thread = (await client.post("/threads")).body as { thread_id: string };
  const connection = new AbortController();
  const response = await fetch(`${stack.url}/threads/${thread.thread_id}/runs/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      assistant_id: "lead",
      input: { messages: [{ role: "user", content: "Wait." }] },
      stream_mode: ["values", "custom"],
      on_disconnect: onDisconnect,
    }),
    signal: connection.signal,
  });
  const runId = response.headers.get("content-location")?.split("/").at(-1) ?? "";
  await expect.poll(waitingProcesses, { timeout: 20_000 }).not.toEqual([]);
  connection.abort();
  return { threadId: thread.thread_id, runId };
}

beforeAll(async () => {
  stack = await startServiceStack({ answer });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

describe("FC-C10 a run whose client drops its connection while a subagent works", () => {
  it("stops with all that is nested in it when it was to be cancelled", async () => {
    const ids = await abandonedRun("cancel");
    await client.join(ids);

    expect(await client.get<RunView>(`/runs/${ids.runId}`)).toMatchObject({
      status: "interrupted",
      stop_reason: "cancelled",
    });
    expect(await client.get<TaskView[]>(`/runs/${ids.runId}/tasks`)).toMatchObject([{ status: "cancelled" }]);
    await expect.poll(waitingProcesses, { timeout: 10_000 }).toEqual([]);
  });

  it("goes on otherwise, and its events can be replayed to their end", async () => {
    const ids = await abandonedRun("continue");
    const { status } = await client.get<RunView>(`/runs/${ids.runId}`);
    expect(status).toBe("running");
    expect(await waitingProcesses()).not.toEqual([]);

    await writeFile(join(stack.workspacesDir, "default", ids.threadId, "workspace", GATE), "");
    await client.join(ids);

    expect(await client.get<RunView>(`/runs/${ids.runId}`)).toMatchObject({ status: "success" });
    const frames = await Array.fromAsync(client.stream(ids));
    const types = frames.flatMap(({ event, data }) => (event === "custom" ? [(data as { type: string }).type] : []));
    expect(types).toEqual(expect.arrayContaining(["task_started", "task_completed"]));
    expect(frames.at(-1)).toMatchObject({ event: "end", data: { status: "success" } });
  });
});
