import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { says } from "../harness/model-server.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

const MIB = 1024 ** 2;

let stack: ServiceStack;
let client: GatewayClient;
let answer = "";

beforeAll(async () => {
  stack = await startServiceStack({ answer: () => says(answer), services: { "subagent-runner": 0 } });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

const BODY = { assistant_id: "lead", input: { messages: [{ role: "user", content: "Go on." }] } };

async function runOn(threadId: string, text: string): Promise<Record<string, unknown>> {
  answer = text;
  const { body } = await client.post(`/threads/${threadId}/runs`, BODY);
  const { run_id: runId } = body as { run_id: string };
  await client.join({ threadId, runId });
  return client.get(`/runs/${runId}`);
}

describe("a thread whose state grows beyond what one document takes", () => {
  it("fails that run with the reason, at once and not after retries; the thread can be read and goes on", async () => {
    const { body } = await client.post("/threads");
    const { thread_id: threadId } = body as { thread_id: string };
    await runOn(threadId, "first");
    const asked = stack.model.requests.length;
    const run = await runOn(threadId, "x".repeat(13 * MIB));

    expect(run).toMatchObject({
      status: "error",
      stop_reason: "document_too_large",
      attempts: 1,
      error: { code: "document_too_large", message: expect.stringMatching(/start a new thread/) as string },
    });
    expect(stack.model.requests.length).toBe(asked + 1);

    expect(await runOn(threadId, "third")).toMatchObject({ status: "success" });
    const { values } = await client.get<{ values: { messages: { content: string }[] } }>(`/threads/${threadId}/state`);
    expect(values.messages.at(-1)?.content).toBe("third");
  });
});
