import { afterAll, beforeAll, expect, it } from "vitest";

import type { RunView, ThreadView } from "@antler/contracts";

import { type Gateway, type GatewayStack, startGatewayStack, SUCCESS, untilAborted } from "../gateway-stack.ts";
import { call, newThread } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await stack.stop();
});

async function startRun(threadId: string): Promise<string> {
  const body = { assistant_id: "lead" };
  return (await call<RunView>(`${gateway.url}/threads/${threadId}/runs`, "POST", body)).body.run_id;
}

const cancel = (threadId: string, runId: string, action: string) =>
  call(`${gateway.url}/threads/${threadId}/runs/${runId}/cancel?wait=1&action=${action}`, "POST");

const threadOf = async (threadId: string) => (await call<ThreadView>(`${gateway.url}/threads/${threadId}`)).body;

it.each([
  ["rollback", "error"],
  ["interrupt", "interrupted"],
])("a thread whose only run was cancelled with %s is idle, its run %s", async (action, status) => {
  stack.play(({ lease }) => untilAborted(lease));
  const threadId = await newThread(gateway.url);
  const runId = await startRun(threadId);
  expect(await threadOf(threadId)).toMatchObject({ status: "busy" });
  expect(await cancel(threadId, runId, action)).toMatchObject({ status: 204 });

  expect((await call<RunView>(`${gateway.url}/runs/${runId}`)).body.status).toBe(status);
  expect(await threadOf(threadId)).toMatchObject({ status: "idle" });
});

it("a thread is as its last run left it that was not rolled back", async () => {
  const error = { code: "internal" as const, message: "It broke" };
  stack.play(async () => ({ ...SUCCESS, status: "error", stop_reason: "agent_error", error }));
  const threadId = await newThread(gateway.url);
  await call(`${gateway.url}/threads/${threadId}/runs/${await startRun(threadId)}/join`);
  const before = await threadOf(threadId);
  stack.play(({ lease }) => untilAborted(lease));
  await cancel(threadId, await startRun(threadId), "rollback");

  expect(before.status).toBe("error");
  expect(await threadOf(threadId)).toEqual(before);
});
