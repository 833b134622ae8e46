import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { toWire, toWireChunk, toWireMessage } from "../../src/messages/wire-message.ts";

describe("toWireMessage", () => {
  it("writes a message as one flat object", () => {
    const message = new AIMessage({
      id: "m1",
      content: "hi",
      tool_calls: [{ id: "a", name: "ls", args: { path: "/" } }],
    });

    expect(toWireMessage(message)).toMatchObject({
      type: "ai",
      id: "m1",
      content: "hi",
      tool_calls: [{ id: "a", name: "ls", args: { path: "/" } }],
    });
    expect(toWireMessage(new ToolMessage({ id: "t1", tool_call_id: "a", name: "ls", content: "x" }))).toMatchObject({
      ...{ type: "tool", id: "t1", tool_call_id: "a", name: "ls", content: "x" },
    });
  });
});

describe("toWireChunk", () => {
  it("marks a piece of a message as a piece", () => {
    expect(toWireChunk(new AIMessageChunk({ id: "m1", content: "h" }))).toMatchObject({
      type: "AIMessageChunk",
      content: "h",
    });
    expect(toWireChunk(new AIMessage({ id: "m1", content: "h" }))).toMatchObject({ type: "ai" });
  });
});

describe("toWire", () => {
  it("finds messages at any depth and leaves plain JSON alone", () => {
    const value = { node: [{ messages: [new HumanMessage({ id: "h1", content: "go" })] }], n: 1, gone: undefined };

    expect(toWire(value)).toEqual({
      node: [{ messages: [expect.objectContaining({ type: "human", id: "h1", content: "go" }) as object] }],
      n: 1,
    });
  });
});
