import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import type { DroppedCalls } from "../../src/delegations/dropped-calls.ts";
import { limitTaskCalls } from "../../src/delegations/limit-task-calls.ts";
import { rawCallsOf } from "../../src/messages/rebuild-ai-message.ts";
import { createSubagentLimit, type SubagentLimitOptions } from "../../src/middleware/subagent-limit.ts";
import { delegationLimits } from "../../src/subagents/delegation-limits.ts";
import { aConfig } from "../support/executions.ts";

interface AnswerOptions {
  readonly content?: AIMessage["content"];
  readonly raw?: boolean;
}

function answer(names: readonly string[], { content = "I delegate", raw = false }: AnswerOptions = {}): AIMessage {
  const calls = names.map((name, index) => ({ name, args: {}, id: `t${index + 1}`, type: "tool_call" as const }));
  const rawCalls = calls.map(({ id, name }) => ({ id, type: "function", function: { name, arguments: "{}" } }));
  const extras = raw ? { additional_kwargs: { tool_calls: rawCalls } } : {};
  return new AIMessage({
    id: "m1",
    content,
    tool_calls: calls,
    response_metadata: { finish_reason: "tool_calls" },
    ...extras,
  } as ConstructorParameters<typeof AIMessage>[0]);
}

const tasks = (count: number) => Array.from({ length: count }, () => "task");

type Hook = (state: { messages: BaseMessage[] }) => { messages: AIMessage[] } | undefined;

function hookOf(options: Partial<SubagentLimitOptions> = {}): Hook {
  const middleware = createSubagentLimit({
    maxConcurrent: 3,
    maxTotal: 6,
    spent: [],
    runId: "run",
    onTrim: () => undefined,
    ...options,
  });
  return middleware.afterModel as unknown as Hook;
}

function trimmed(message: BaseMessage, options: Partial<SubagentLimitOptions> = {}): AIMessage | undefined {
  return hookOf(options)({ messages: [message] })?.messages[0];
}

const idsOf = (message: AIMessage | undefined) => message?.tool_calls?.map(({ id }) => id);

describe("delegationLimits", () => {
  const limits = (context: Record<string, unknown>, over: Record<string, unknown> = {}) =>
    delegationLimits({
      config: aConfig("http://127.0.0.1:1/v1", over),
      context,
      lane: "interactive",
      capabilities: { canRunCommands: true, canFetch: false },
    });

  it("DF-L4 takes three at once and six in all by default", () => {
    expect(limits({})).toEqual({ maxConcurrent: 3, maxTotal: 6 });
  });

  it.each([
    ["DF-L1", 0, 1],
    ["DF-L1", -5, 1],
    ["DF-L2", 1, 1],
    ["DF-L3", 4, 4],
    ["DF-L3", 5, 5],
    ["DF-L3", 100, 8],
  ])("%s holds a request for %i at once to %i, the places that the pools have", (_id, wanted, expected) => {
    expect(limits({ max_concurrent_subagents: wanted }).maxConcurrent).toBe(expected);
  });

  it("DF-L21 never takes more at once than the greatest concurrency of the lane", () => {
    const pools = { general: { concurrency: { interactive: 4 } }, bash: { concurrency: { interactive: 2 } } };
    expect(limits({ max_concurrent_subagents: 10 }, { pools }).maxConcurrent).toBe(4);
  });

  it("takes at most 64 at once however many places there are", () => {
    const pools = { general: { concurrency: { interactive: 1000 } } };
    expect(limits({ max_concurrent_subagents: 500 }, { pools }).maxConcurrent).toBe(64);
  });

  it.each([
    ["DF-L5", 0, 1],
    ["DF-L5", 51, 50],
    ["DF-L5", 7, 7],
  ])("%s holds a total of %i to %i", (_id, wanted, expected) => {
    expect(limits({ max_total_subagents: wanted }).maxTotal).toBe(expected);
  });
});

describe("SubagentLimit", () => {
  it.each([
    ["no messages", []],
    ["a human message last", [new HumanMessage("hello")]],
    ["an answer without calls", [new AIMessage("done")]],
  ])("DF-L6 changes nothing with %s", (_name, messages) => {
    expect(hookOf()({ messages })).toBeUndefined();
  });

  it("DF-L7 changes nothing within the cap", () => {
    expect(trimmed(answer(tasks(2)))).toBeUndefined();
  });

  it("DF-L8 keeps the first calls in order, the message's id and its content", () => {
    const message = trimmed(answer(tasks(4)), { maxConcurrent: 2 });

    expect(idsOf(message)).toEqual(["t1", "t2"]);
    expect(message?.id).toBe("m1");
    expect(message?.content).toBe("I delegate");
  });

  it("DF-L9 keeps every other call in its place", () => {
    const message = trimmed(answer(["task", "bash", "task", "ls", "task"]), { maxConcurrent: 1 });

    expect(message?.tool_calls?.map(({ name, id }) => `${name}:${id ?? ""}`)).toEqual(["task:t1", "bash:t2", "ls:t4"]);
  });

  it("DF-L10 trims the provider's raw calls alike and keeps the finish reason while calls remain", () => {
    const message = trimmed(answer(tasks(4), { raw: true }), { maxConcurrent: 2 })!;

    expect(rawCallsOf(message)?.map(({ id }) => id)).toEqual(["t1", "t2"]);
    expect(message.response_metadata["finish_reason"]).toBe("tool_calls");
  });

  it("DF-L10 trims the blocks of calls that stand in the content alike", () => {
    const blocks = ["t1", "t2", "t3", "t4"].map((id) => ({ type: "tool_use", id, name: "task", input: {} }));
    const content = [{ type: "text", text: "I delegate" }, ...blocks] as AIMessage["content"];
    const message = trimmed(answer(tasks(4), { content }), { maxConcurrent: 2 })!;

    expect(message.content).toEqual([{ type: "text", text: "I delegate" }, ...blocks.slice(0, 2)]);
  });

  it("DF-L20 decides as the rule alone does", () => {
    const message = answer(tasks(5));
    const alone = limitTaskCalls(message, { maxConcurrent: 3, remaining: 2 });

    expect(idsOf(trimmed(message, { maxTotal: 6, spent: ["a", "b", "c", "d"] }))).toEqual(idsOf(alone?.message));
    expect(idsOf(alone?.message)).toEqual(["t1", "t2"]);
  });

  it("DF-L11 keeps what the run's total leaves", () => {
    expect(idsOf(trimmed(answer(tasks(3)), { spent: ["a", "b", "c", "d", "e"] }))).toEqual(["t1"]);
  });

  it.each([
    ["text", "I delegate", /^I delegate\n\n\[SUBAGENT LIMIT REACHED\]/],
    ["no text", "", /^\[SUBAGENT LIMIT REACHED\]/],
  ])("DF-L12 drops all and says so once the total is reached, with %s", (_name, content, expected) => {
    const trims: DroppedCalls[] = [];
    const message = trimmed(answer(tasks(1), { content, raw: true }), {
      maxTotal: 2,
      spent: ["a", "b"],
      onTrim: (trim) => trims.push(trim),
    })!;

    expect(idsOf(message)).toEqual([]);
    expect(message.content).toMatch(expected);
    expect(message.response_metadata["finish_reason"]).toBe("stop");
    expect(rawCallsOf(message)).toBeUndefined();
    expect(trims).toEqual([{ count: 1, reason: "per_run", isExhausted: true }]);
  });

  it("DF-L12 adds the note as a block to content that is a list", () => {
    const content = [{ type: "text" as const, text: "I delegate" }];
    const message = trimmed(answer(tasks(1), { content }), { maxTotal: 1, spent: ["a"] });

    expect(message?.content).toEqual([
      ...content,
      { type: "text", text: expect.stringMatching(/^\[SUBAGENT LIMIT/) as string },
    ]);
  });

  it("adds no note when only the cap of one answer was exceeded", () => {
    const trims: DroppedCalls[] = [];
    trimmed(answer(tasks(4)), { onTrim: (trim) => trims.push(trim) });

    expect(trims).toEqual([{ count: 1, reason: "per_response", isExhausted: false }]);
  });

  it("DF-L14 counts only the run's own calls", () => {
    expect(trimmed(answer(tasks(2)), { spent: [] })).toBeUndefined();
  });

  it("DF-L17 counts a call id once", () => {
    expect(idsOf(trimmed(answer(tasks(3)), { maxTotal: 3, spent: ["a", "a", "a"] }))).toEqual(["t1", "t2"]);
  });

  it("DF-L18 leaves an answer with other calls alone", () => {
    expect(trimmed(answer(["bash", "ls"]), { maxTotal: 1, spent: ["a"] })).toBeUndefined();
  });

  it("counts the calls that it let pass earlier in the run", () => {
    const hook = hookOf({ maxTotal: 3 });
    hook({ messages: [answer(tasks(2))] });
    const second = new AIMessage({
      id: "m2",
      content: "",
      tool_calls: ["x1", "x2"].map((id) => ({ name: "task", args: {}, id })),
    });

    expect(idsOf(hook({ messages: [second] })?.messages[0])).toEqual(["x1"]);
  });

  it("does not count an answer's own calls against it when the answer is judged again", () => {
    expect(trimmed(answer(tasks(3)), { maxTotal: 3, spent: ["t1", "t2", "t3"] })).toBeUndefined();
  });
});
