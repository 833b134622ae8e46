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
