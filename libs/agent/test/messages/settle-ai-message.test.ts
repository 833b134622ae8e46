import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { rawCallsOf } from "../../src/messages/rebuild-ai-message.ts";
import { settleAiMessage } from "../../src/messages/settle-ai-message.ts";

const call = (id: string | undefined, name = "bash") => ({ name, args: { a: 1 }, ...(id !== undefined && { id }) });

/** Ids n1, n2 … in the order in which they are asked for. */
function numbered(): () => string {
  let count = 0;
  return () => `n${(count += 1)}`;
}

const settle = (message: AIMessage, history: AIMessage[] = []) =>
  settleAiMessage(message, [new HumanMessage({ id: "h1", content: "go" }), ...history], numbered());

const idsOf = (message: AIMessage) => message.tool_calls?.map(({ id }) => id);

describe("settleAiMessage", () => {
  it("leaves good ids as they are", () => {
    const message = settle(new AIMessage({ id: "m1", content: "x", tool_calls: [call("a"), call("b")] }));

    expect(message.id).toBe("m1");
    expect(idsOf(message)).toEqual(["a", "b"]);
  });

  it("gives an id to a call without one, also to an empty one", () => {
    expect(idsOf(settle(new AIMessage({ id: "m1", content: "", tool_calls: [call(undefined), call("")] })))).toEqual([
      "call_n1",
      "call_n2",
    ]);
  });

  it("replaces an id that repeats within the message or within the thread", () => {
    const history = [new AIMessage({ id: "m0", content: "", tool_calls: [call("a")] })];

    expect(
      idsOf(settle(new AIMessage({ id: "m1", content: "", tool_calls: [call("a"), call("b"), call("b")] }), history)),
    ).toEqual(["call_n1", "b", "call_n2"]);
  });

  it("gives a message an id of its own when it has none or one that is taken", () => {
    expect(settle(new AIMessage({ content: "x" })).id).toBe("n1");
    expect(settle(new AIMessage({ id: "h1", content: "x" })).id).toBe("n1");
  });

  it("keeps the provider's raw calls in step", () => {
    const raw = [
      { id: "", type: "function", function: { name: "bash", arguments: "{}" } },
      { id: "b", type: "function", function: { name: "bash", arguments: "{}" } },
    ];
    const fields = { id: "m1", content: "", tool_calls: [call(""), call("b")], additional_kwargs: { tool_calls: raw } };
    const message = settle(new AIMessage(fields as ConstructorParameters<typeof AIMessage>[0]));

    expect(rawCallsOf(message)?.map(({ id }) => id)).toEqual(["call_n1", "b"]);
  });

  it("turns a call whose arguments are no JSON into a call that shows them", () => {
    const broken = {
      name: "bash",
      args: '{"command": "ls',
      id: "x1",
      error: "not JSON",
      type: "invalid_tool_call" as const,
    };
    const message = settle(new AIMessage({ id: "m1", content: "", invalid_tool_calls: [broken] }));

    expect(message.tool_calls).toEqual([
      { name: "bash", args: { unreadable_arguments: '{"command": "ls' }, id: "x1", type: "tool_call" },
    ]);
  });

  it("makes a plain message of streamed chunks, with usage and metadata", () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const fields: object = { id: "m1", content: "hi", usage_metadata: usage, response_metadata: { model_name: "m" } };
    const chunk: unknown = new AIMessageChunk(fields);
    const message = settle(chunk as AIMessage);

    expect(message.constructor.name).toBe("AIMessage");
    expect(message.toDict().data).toMatchObject({
      content: "hi",
      usage_metadata: usage,
      response_metadata: { model_name: "m" },
    });
  });
});
