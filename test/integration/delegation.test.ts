import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Frame, type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { isLead, surveyAnswers } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

let stack: ServiceStack;
let client: GatewayClient;
/** Opened by a test when the subagent's first tool call has been seen by its follower. */
let seen: PromiseWithResolvers<undefined>;

beforeAll(async () => {
  const answer = surveyAnswers({
    types: ["general-purpose", "general-purpose", "bash"],
    beforeAnswer: async ({ turn }) => {
      if (turn > 0) await seen.promise;
    },
  });
  stack = await startServiceStack({ answer });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

const typeOf = ({ data }: Frame) => (data as { type?: string }).type;

describe("a run that delegates to three subagents", () => {
  it("goes from HTTP over the bus to other processes and back, and shows each step before the next one is made", async () => {
    seen = Promise.withResolvers();
    const ids = await client.startRun({ stream_mode: ["custom"] });
    const frames: Frame[] = [];
    const running = new Set<string>();
    for await (const frame of client.stream(ids)) {
      frames.push(frame);
      if (typeOf(frame) === "task_running") running.add((frame.data as { task_id: string }).task_id);
      if (running.size === 3) seen.resolve(undefined);
    }

    expect(frames[0]?.event).toBe("metadata");
    expect(frames.at(-1)?.event).toBe("end");
    const types = frames.map(typeOf);
    expect(types.filter((type) => type === "task_started")).toHaveLength(3);
    expect(types.filter((type) => type === "task_running")).toHaveLength(9);
    expect(types.filter((type) => type === "task_completed")).toHaveLength(3);
    const numbers = frames.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it("gives the lead one ToolMessage for each call, with its facts apart from its text", async () => {
    seen = Promise.withResolvers();
    seen.resolve(undefined);
    const before = stack.model.requests.length;
    const ids = await client.startRun();
    await client.join(ids);
    const last = stack.model.requests.slice(before).filter(isLead).at(-1);
    const results = last?.messages.filter(({ role }) => role === "tool") ?? [];

    expect(results.map((message) => message.tool_call_id).sort()).toEqual([
      "call_part_1",
      "call_part_2",
      "call_part_3",
    ]);
    for (const { content } of results) expect(content).toMatch(/^Task Succeeded\. Result: Finished: Look at part/);
    const { values } = await client.get<{ values: { messages: { type: string; additional_kwargs?: object }[] } }>(
      `/threads/${ids.threadId}/state`,
    );
    const messages = values.messages.filter(({ type }) => type === "tool");
    expect(messages).toHaveLength(3);
    for (const { additional_kwargs } of messages)
      expect(additional_kwargs).toMatchObject({ subagent_status: "completed" });
  });

  it("runs its tasks in other processes than the lead, and counts each model call once", async () => {
    const ids = await client.startRun();
    await client.join(ids);
    const run = await client.get<{ pid: number; status: string; usage: { total_tokens: number } }>(
      `/runs/${ids.runId}`,
    );
    const tasks = await client.get<{ pid: number; status: string }[]>(`/runs/${ids.runId}/tasks`);

    expect(run.status).toBe("success");
    expect(tasks.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(tasks.map(({ pid }) => pid)).not.toContain(run.pid);
    expect(new Set(tasks.map(({ pid }) => pid)).size).toBe(2);
    expect(run.usage.total_tokens).toBe(15 * (2 + 3 * 2));
  });

  it("lets a client that reconnects go on after the last event it saw", async () => {
    const ids = await client.startRun({ stream_mode: ["custom"] });
    const all: Frame[] = [];
    for await (const frame of client.stream(ids)) all.push(frame);
    const stored = all.filter(({ id }) => id !== undefined);
    const half = stored[Math.floor(stored.length / 2)];
    const rest: Frame[] = [];
    for await (const frame of client.stream(ids, { lastEventId: half?.id ?? "" })) rest.push(frame);

    expect(rest.filter(({ id }) => id !== undefined)).toEqual(stored.filter(({ id }) => Number(id) > Number(half?.id)));
  });
});
