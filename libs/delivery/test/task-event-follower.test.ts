import { afterAll, beforeAll, expect, it } from "vitest";

import type { NewRunEvent } from "@antler/contracts";
import { newId } from "@antler/platform";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import type { DeliveryDeps } from "../src/index.ts";
import { followTaskEvents } from "../src/task-event-follower.ts";

const MIB = 1024 ** 2;

let stack: DeliveryStack;
let deps: DeliveryDeps;

beforeAll(async () => {
  stack = await startDeliveryStack();
  deps = await stack.connect();
});
afterAll(() => stack.stop());

it.each([
  { size: "more than the store reads at once", count: 5, bytes: 3 * MIB },
  { size: "more than a page", count: 450, bytes: 10 },
])("who follows a task is handed all of $size, in order", async ({ count, bytes }) => {
  const [runId, threadId, taskId] = [newId(), newId(), newId()];
  const steps = Array.from({ length: count }, (_, index): NewRunEvent => {
    const data = { index, text: "x".repeat(bytes) };
    return { key: `${taskId}:${index}`, type: "subagent.step", task_id: taskId, data };
  });
  await deps.store.events.append(runId, threadId, steps);
  const seen: number[] = [];
  const onError = (error: unknown) => expect.fail(String(error));
  const follower = followTaskEvents(deps, { runId, taskId, onEvent: ({ seq }) => void seen.push(seq), onError });

  await follower.catchUp();
  follower.close();
  expect(seen).toEqual(steps.map((_, index) => index + 1));
});
