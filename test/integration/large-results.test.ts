import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

const MIB = 1024 ** 2;

let stack: ServiceStack;
let client: GatewayClient;
let sizeMib: number;

function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (!isLead(request)) return says("x".repeat(sizeMib * MIB));
  const args = { description: "much", prompt: "Say much.", subagent_type: "general-purpose" };
  return results === 0 ? calls({ name: "task", args, id: "call_1" }) : says("Done.");
}

async function runWith(size: number) {
  sizeMib = size;
  const ids = await client.startRun();
  await client.join(ids);
  const [task] = await client.get<{ status: string; stop_reason: string; error: string }[]>(`/runs/${ids.runId}/tasks`);
  const run = await client.get<{ status: string }>(`/runs/${ids.runId}`);
  return { task, run, ids };
}

beforeAll(async () => {
  stack = await startServiceStack({ answer, services: { "subagent-runner": 1 } });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

describe("FC-C08 a result of a subagent", () => {
  it("of 12 MiB stays out of the lead's checkpoint and can be read whole", async () => {
    const { task, run, ids } = await runWith(12);
    const told = stack.model.requests.filter(isLead).at(-1)?.messages.at(-1)?.content as string;

    expect(task).toMatchObject({ status: "completed" });
    expect(run).toMatchObject({ status: "success" });
    expect(told.replaceAll(/x+/g, "x")).toMatch(
      /^Task Succeeded\. Result: x\n\.\.\. \[\d+ of \d+ characters left out; all of it is in /,
    );
    const [row] = await stack.deps.store.tasks.listByRun(ids.runId);
    expect(row).toMatchObject({ result: "x".repeat(64 * 1024), result_bytes: 12 * MIB });
    expect((await stack.deps.store.tasks.wholeResult(row!))?.length).toBe(12 * MIB);
  });

  it("of 17 MiB fails its task with a reason, and the run goes on", async () => {
    const { task, run } = await runWith(17);

    expect(task).toMatchObject({ status: "failed", stop_reason: "document_too_large" });
    expect(task?.error).not.toBe("");
    expect(run).toMatchObject({ status: "success" });
  });
});
