import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Interrupt, RunView, TaskView, ThreadStateView, ThreadView } from "@antler/contracts";

import { settledSnapshot } from "../faults/stack/whole-run.ts";
import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { findViolations } from "../invariants/find-violations.ts";

let stack: ServiceStack;
let client: GatewayClient;

const ask = (question: string, id: string) => ({ name: "ask_clarification", args: { question }, id });

/** A lead that delegates once and asks two questions in the same answer, then repeats what it was told. */
function answer(request: ModelRequest): ModelAnswer {
  if (!isLead(request)) return says("Counted.");
  const results = request.messages.filter(({ role }) => role === "tool");
  if (results.length > 0) return says(`Told: ${results.map(({ content }) => JSON.stringify(content)).join(", ")}`);
  return calls(
    { name: "task", args: { description: "count", prompt: "Count.", subagent_type: "general-purpose" }, id: "call_a" },
    ask("Delete?", "call_delete"),
    ask("Publish?", "call_publish"),
  );
}

beforeAll(async () => {
  stack = await startServiceStack({ answer });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

const inOrder = (interrupts: readonly Interrupt[]) =>
  interrupts.toSorted((a, b) => JSON.stringify(a.value).localeCompare(JSON.stringify(b.value)));

const idOf = (interrupts: readonly Interrupt[], question: string) =>
  interrupts.find(({ value }) => (value as { question: string }).question === question)?.id ?? "none";

const resumed = (threadId: string, resume: unknown) =>
  client.post(`/threads/${threadId}/runs/wait`, { assistant_id: "lead", input: null, command: { resume } });

describe("a run that asks the user beside a finished task", () => {
  it("FC-C03 FC-C04 lists each question, takes each answer, and does not delegate again", async () => {
    const ids = await client.startRun();
    const { threadId, runId } = ids;
    const waited = (await client.join(ids)) as { __interrupt__: Interrupt[]; messages: unknown[] };
    const interrupts = inOrder(waited.__interrupt__);
    expect(interrupts.map(({ value }) => value)).toEqual([{ question: "Delete?" }, { question: "Publish?" }]);
    expect(new Set(interrupts.map(({ id }) => id)).size).toBe(2);

    const run = await client.get<RunView>(`/runs/${runId}`);
    expect(run).toMatchObject({ status: "interrupted", stop_reason: "input_required" });
    expect(inOrder(run.interrupts)).toEqual(interrupts);
    const thread = await client.get<ThreadView>(`/threads/${threadId}`);
    expect(thread.status).toBe("interrupted");
    expect(inOrder(Object.values(thread.interrupts).flat() as Interrupt[])).toEqual(interrupts);
    const state = await client.get<ThreadStateView>(`/threads/${threadId}/state`);
    expect(state).toMatchObject({ next: ["tools", "tools"] });
    expect(inOrder(state.interrupts as Interrupt[])).toEqual(interrupts);
    expect(inOrder(state.tasks.flatMap(({ interrupts: asked }) => asked as Interrupt[]))).toEqual(interrupts);
    const frames = await Array.fromAsync(client.stream(ids));
    const shown = frames.filter(({ event, data }) => event === "values" && "__interrupt__" in (data as object));
    const asked = shown.flatMap(({ data }) => (data as { __interrupt__: Interrupt[] }).__interrupt__);
    expect(inOrder(asked)).toEqual(interrupts);
    expect(frames.at(-1)).toMatchObject({ event: "end", data: { stop_reason: "input_required" } });

    expect(await resumed(threadId, "yes")).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    expect(await resumed(threadId, { ["0".repeat(32)]: "yes" })).toMatchObject({ status: 422 });
    const second = await resumed(threadId, { [idOf(interrupts, "Publish?")]: "publish: yes" });
    expect(second.body).toMatchObject({ __interrupt__: [{ id: idOf(interrupts, "Delete?") }] });
    const third = await resumed(threadId, "delete: no");

    expect(third.status).toBe(200);
    const { messages } = third.body as { messages: { type: string; content: string; tool_call_id?: string }[] };
    const results = messages.filter(({ type }) => type === "tool");
    expect(Object.fromEntries(results.map(({ tool_call_id: id, content }) => [id, content]))).toMatchObject({
      call_delete: "delete: no",
      call_publish: "publish: yes",
    });
    expect(messages.at(-1)?.content).toContain("Told:");
    const runs = await client.get<RunView[]>(`/threads/${threadId}/runs`);
    expect(runs.map(({ status }) => status)).toEqual(["success", "interrupted", "interrupted"]);
    expect(runs[0]?.kwargs).toMatchObject({ input: null, command: { resume: "delete: no" } });
    const tasks = await Promise.all(runs.map(({ run_id: id }) => client.get<TaskView[]>(`/runs/${id}/tasks`)));
    expect(tasks.map(({ length }) => length)).toEqual([0, 0, 1]);
    expect(stack.model.requests.filter((request) => !isLead(request))).toHaveLength(1);
    for (const { run_id: id } of runs) expect(findViolations(await settledSnapshot(stack.deps.store, id))).toEqual([]);
    expect(await resumed(threadId, "again")).toMatchObject({ status: 409, body: { code: "nothing_to_resume" } });
  });

  it("takes a new message instead of the answers and keeps a valid history", async () => {
    const { threadId, runId } = await client.startRun();
    await client.join({ threadId, runId });
    const input = { messages: [{ role: "user", content: "Forget it." }] };

    const next = await client.post(`/threads/${threadId}/runs/wait`, { assistant_id: "lead", input });

    const { messages } = next.body as { messages: { type: string; content: string }[] };
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool", "human", "ai"]);
    expect(messages[2]?.content).toContain("Counted.");
    expect(messages[3]?.content).toContain("did not answer this question");
    const state = await client.get<ThreadStateView>(`/threads/${threadId}/state`);
    expect(state).toMatchObject({ next: [], tasks: [], interrupts: [] });
  });
});
