import { describe, expect, it } from "vitest";

import type { Interrupt } from "@antler/contracts";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aLease, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, type LeadRun, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { callsAndResults, savedMessages, toldMessages } from "../support/messages.ts";

const ask = (id: string, question: string) => ({
  name: "ask_clarification",
  args: { question, options: ["yes", "no"] },
  id,
});
const task = (id: string) => ({
  name: "task",
  args: { description: "Count", prompt: `Count ${id}`, subagent_type: "general-purpose" },
  id,
});

async function interruptsOf({ outcome }: LeadRun): Promise<readonly Interrupt[]> {
  const ended = await outcome;
  expect(ended).toMatchObject({ status: "interrupted", stop_reason: "input_required", error: null });
  return ended.output?.["interrupts"] as Interrupt[];
}

/** The next run on the thread of another one. */
const nextRun = ({ run }: LeadRun, over: object) => aRun({ thread_id: run.thread_id, input: null, ...over });

describe("a lead that asks the user", () => {
  it("stops until the answer comes, which is the result of its call", async () => {
    await using server = await startModelServer(inOrder(calls(ask("q1", "Delete it?")), says("Kept.")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const first = startLead({ config, ...opened });
    const interrupts = await interruptsOf(first);
    expect(interrupts).toEqual([
      { id: expect.any(String) as string, value: { question: "Delete it?", options: ["yes", "no"] } },
    ]);
    const told = first.recorder.events.filter(({ type }) => type === "stream.values").at(-1);
    expect(told?.data["payload"]).toMatchObject({ __interrupt__: interrupts });

    const run = nextRun(first, { command: { resume: "no" } });
    const second = startLead({ config, ...opened, saver: first.saver, run });

    expect(await second.outcome).toMatchObject({ status: "success", output: { last_message: "Kept." } });
    const messages = await savedMessages(first.saver, run.thread_id);
    expect(messages.map(({ type, content }) => [type, content])).toEqual([
      ["human", "Survey the workspace"],
      ["ai", ""],
      ["tool", "no"],
      ["ai", "Kept."],
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it("FC-C03 does not delegate again what had ended beside the question", async () => {
    await using server = await startModelServer(inOrder(calls(task("a1"), ask("q1", "Go on?")), says("Both.")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome({ result: "counted" }));

    const first = startLead({ config, ...opened, delegate });
    await interruptsOf(first);
    const run = nextRun(first, { command: { resume: { go: true } } });
    const second = startLead({ config, ...opened, delegate, saver: first.saver, run });

    expect(await second.outcome).toMatchObject({ status: "success" });
    expect(requests).toHaveLength(1);
    const messages = await savedMessages(first.saver, run.thread_id);
    expect(callsAndResults(messages)).toEqual({ calls: ["a1", "q1"], results: ["a1", "q1"] });
    expect(messages.map(({ content }) => content)).toContain('{"go":true}');
    expect(toldMessages(second.recorder.events).map(({ type, tool_call_id: id }) => [type, id])).toEqual([
      ["tool", "a1"],
      ["tool", "q1"],
      ["ai", undefined],
    ]);
  });

  it("FC-C04 gives each of two questions its own answer, also when they are answered one after the other", async () => {
    await using server = await startModelServer(inOrder(calls(ask("q1", "First?"), ask("q2", "Second?")), says("Ok")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const first = startLead({ config, ...opened });
    const interrupts = await interruptsOf(first);
    const idOf = (question: string) =>
      interrupts.find(({ value }) => (value as { question: string }).question === question)?.id ?? "";
    expect(new Set(interrupts.map(({ id }) => id)).size).toBe(2);

    const answerSecond = nextRun(first, { command: { resume: { [idOf("Second?")]: "no" } } });
    const second = startLead({ config, ...opened, saver: first.saver, run: answerSecond });
    expect(await interruptsOf(second)).toMatchObject([{ id: idOf("First?") }]);

    const answerFirst = nextRun(first, { command: { resume: { [idOf("First?")]: "yes" } } });
    const third = startLead({ config, ...opened, saver: first.saver, run: answerFirst });
    expect(await third.outcome).toMatchObject({ status: "success" });
    const messages = await savedMessages(first.saver, first.run.thread_id);
    const results = messages.filter((message) => message.type === "tool") as unknown as Record<string, string>[];
    expect(Object.fromEntries(results.map((result) => [result["tool_call_id"], result["content"]]))).toEqual({
      q1: "yes",
      q2: "no",
    });
  });

  it("takes a message of another kind too: what had ended keeps its result, the question is marked as passed over", async () => {
    const todos = [{ content: "Count", status: "pending" }];
    const list = { name: "write_todos", args: { todos }, id: "l1" };
    await using server = await startModelServer(inOrder(calls(list, ask("q1", "Go on?")), says("Fine.")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const first = startLead({ config, ...opened });
    await interruptsOf(first);

    const run = nextRun(first, { input: { messages: [{ role: "user", content: "Something else" }] } });
    const second = startLead({ config, ...opened, saver: first.saver, run });

    expect(await second.outcome).toMatchObject({ status: "success" });
    const messages = await savedMessages(first.saver, run.thread_id);
    expect(callsAndResults(messages)).toEqual({ calls: ["l1", "q1"], results: ["l1", "q1"] });
    expect(messages.slice(2).map(({ content }) => content)).toEqual([
      expect.stringContaining("Updated todo list"),
      "The user did not answer this question by itself; what they said instead follows as a message.",
      "Something else",
      "Fine.",
    ]);
    const tuple = await first.saver.getTuple({ configurable: { thread_id: run.thread_id, checkpoint_ns: "" } });
    expect(tuple?.checkpoint.channel_values["todos"]).toEqual(todos);
  });

  it("asks again after its process died, and the answer goes to the call of before", async () => {
    await using server = await startModelServer(inOrder(calls(ask("q1", "Delete it?")), says("Kept.")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const first = startLead({ config, ...opened });
    const [before] = await interruptsOf(first);

    const again = startLead({ config, ...opened, saver: first.saver, run: { ...first.run, head: "x" } });

    expect(await interruptsOf(again)).toEqual([before]);
    expect(server.requests).toHaveLength(1);
  });

  it("goes on from the answer when the process that got it died, and tells that run's own messages", async () => {
    const lease = aLease();
    await using server = await startModelServer((_request, index) => {
      if (index === 1) lease.abort("drained");
      return index === 0 ? calls(ask("q1", "Delete it?")) : says("Kept.");
    });
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const first = startLead({ config, ...opened });
    await interruptsOf(first);
    const run = nextRun(first, { command: { resume: "no" } });
    const died = startLead({ config, ...opened, saver: first.saver, run, lease });
    await expect(died.outcome).rejects.toMatchObject({ code: "drained" });

    const again = startLead({
      ...{ config, ...opened, saver: first.saver },
      run: { ...run, head: "x" },
      lease: aLease({ epoch: 2 }),
    });

    expect(await again.outcome).toMatchObject({ status: "success", output: { last_message: "Kept." } });
    expect(toldMessages(again.recorder.events).map(({ type, content }) => [type, content])).toEqual([
      ["tool", "no"],
      ["ai", "Kept."],
    ]);
    const messages = await savedMessages(first.saver, run.thread_id);
    expect(callsAndResults(messages)).toEqual({ calls: ["q1"], results: ["q1"] });
  });
});
