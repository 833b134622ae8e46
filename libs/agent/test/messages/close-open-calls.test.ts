import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { closeOpenCalls, openCallsOf } from "../../src/messages/close-open-calls.ts";

const asks = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "bash", args: {} })) });
const gives = (id: string) => new ToolMessage({ tool_call_id: id, content: `result of ${id}` });
const told = (messages: readonly BaseMessage[]) =>
  messages.map((message) =>
    ToolMessage.isInstance(message) ? `${message.tool_call_id}: ${message.text}` : message.type,
  );

describe("closeOpenCalls", () => {
  it("leaves a complete history as it is", () => {
    const messages = [new HumanMessage("go"), asks("a", "b"), gives("a"), gives("b"), new AIMessage("done")];

    expect(closeOpenCalls(messages)).toEqual(messages);
  });

  it("puts a result behind every call that has none", () => {
    expect(told(closeOpenCalls([asks("a", "b"), gives("b"), new HumanMessage("and?")]))).toEqual([
      "ai",
      "a: Error: This tool call was interrupted and has no result.",
      "b: result of b",
      "human",
    ]);
  });

  it("brings a late result to its call and drops one that nobody asked for", () => {
    expect(told(closeOpenCalls([asks("a"), new HumanMessage("and?"), gives("a"), gives("x")]))).toEqual([
      "ai",
      "a: result of a",
      "human",
    ]);
  });
});

describe("openCallsOf", () => {
  it("names the calls without a result in their order", () => {
    expect(openCallsOf([asks("a"), gives("a"), asks("b", "c"), gives("c")])).toEqual([{ id: "b", name: "bash" }]);
  });
});

describe("a call that has two ids", () => {
  const fields = {
    content: "",
    tool_calls: [{ id: "call_1", name: "ls", args: {} }],
    additional_kwargs: { __openai_function_call_ids__: { call_1: "fc_1" } },
  };

  it.each(["call_1", "fc_1"])("FC-A30 has the result that was filed under %s, and one id in the request", (id) => {
    const messages = [new AIMessage(fields), new ToolMessage({ tool_call_id: id, name: "ls", content: "two files" })];
    const closed = closeOpenCalls(messages);

    expect(openCallsOf(messages)).toEqual([]);
    expect(closed.slice(1)).toMatchObject([{ tool_call_id: "call_1", content: "two files" }]);
    expect(closed).toHaveLength(2);
  });
});
