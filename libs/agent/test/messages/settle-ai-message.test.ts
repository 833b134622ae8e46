import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { rawCallsOf } from "../../src/messages/rebuild-ai-message.ts";
import { idsOf as takenBy, settleAiMessage } from "../../src/messages/settle-ai-message.ts";

const call = (id: string | undefined, name = "bash") => ({ name, args: { a: 1 }, ...(id !== undefined && { id }) });

/** Ids n1, n2 … in the order in which they are asked for. */
function numbered(): () => string {
  let count = 0;
  return () => `n${(count += 1)}`;
}

const settle = (message: AIMessage, history: AIMessage[] = []) =>
  settleAiMessage(message, takenBy([new HumanMessage({ id: "h1", content: "go" }), ...history]), numbered());

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

  it.each(["x".repeat(257), "a\u0000", "\ud800", "é"])("replaces an id that no key and no provider takes: %j", (id) => {
    const message = settle(new AIMessage({ id, content: "", tool_calls: [call(id)] }));

    expect(idsOf(message)).toEqual(["call_n1"]);
    expect(message.id).toBe("n2");
  });

  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  it.each([
    [null, "null"],
    [5, "5"],
    [["x"], '["x"]'],
    [nested(101), "(nested too deeply)"],
    [nested(20_000 / 4), "(nested too deeply)"],
  ])("shows the model arguments that are no object, or one that nothing can write: case %#", (args, shown) => {
    const given = { id: "a", name: "ls", args } as ReturnType<typeof call> & { id: string };
    const message = settle(new AIMessage({ id: "m1", content: "", tool_calls: [given] }));

    expect(message.tool_calls).toMatchObject([{ id: "a", name: "ls", args: { unreadable_arguments: shown } }]);
  });

  it("leaves blocks out that are none", () => {
    const content = [null, "bare", {}, { type: "text", text: "hi" }, { type: "weird" }] as AIMessage["content"];

    expect(settle(new AIMessage({ id: "m1", content })).content).toEqual([
      { type: "text", text: "hi" },
      { type: "weird" },
    ]);
  });

  it("makes every text well-formed, of contents, names and arguments alike", () => {
    const half = { name: "t\ud800", args: { "k\udc00": ["\ud83d", { deep: "ok 😀" }] }, id: "a" };
    const texts = [settle(new AIMessage({ id: "m1", content: "x\ud83d", tool_calls: [half] }))];
    const blocks = [settle(new AIMessage({ id: "m2", content: [{ type: "text", text: "\udc00y" }] }))];

    expect(texts[0]?.content).toBe("x\ufffd");
    expect(texts[0]?.tool_calls).toMatchObject([
      { name: "t\ufffd", args: { "k\ufffd": ["\ufffd", { deep: "ok 😀" }] } },
    ]);
    expect(blocks[0]?.content).toEqual([{ type: "text", text: "\ufffdy" }]);
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
