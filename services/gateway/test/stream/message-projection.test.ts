import { describe, expect, it } from "vitest";

import type { StreamMode } from "@antler/contracts";

import { createMessageProjection } from "../../src/stream/message-projection.ts";
import { anEvent } from "./events.ts";

const projectionOf = (...modes: StreamMode[]) => createMessageProjection({ modes: new Set(modes), subgraphs: false });

const delta = (content: string, fields: Record<string, unknown> = {}) => ({
  namespace: [],
  message: { type: "AIMessageChunk", id: "m1", content, ...fields },
  metadata: { langgraph_node: "model" },
});

const answer = (content: string, fields: Record<string, unknown> = {}) =>
  anEvent("llm.ai.response", { message: { type: "ai", id: "m1", content, ...fields } }, { seq: 8 });

describe("mode messages-tuple", () => {
  it("sends deltas as they come, then only what is missing of the message", () => {
    const messages = projectionOf("messages-tuple");

    expect(messages.delta(delta("Hel"))).toEqual([
      { event: "messages", data: [delta("Hel").message, { langgraph_node: "model" }] },
    ]);
    messages.delta(delta("lo"));
    expect(messages.finished(answer("Hello you", { usage_metadata: { total_tokens: 3 } }))).toEqual([
      {
        event: "messages",
        data: [{ type: "AIMessageChunk", id: "m1", content: " you", usage_metadata: { total_tokens: 3 } }, {}],
        id: 8,
      },
    ]);
  });

  it("sends nothing twice that clients add up", () => {
    const messages = projectionOf("messages-tuple");
    const fields = {
      tool_call_chunks: [{ id: "c", name: "bash", args: "{}" }],
      usage_metadata: { total_tokens: 3 },
      response_metadata: { finish_reason: "stop" },
    };

    messages.delta(delta("", fields));
    const [frame] = messages.finished(
      answer("", {
        tool_calls: [{ id: "c" }],
        usage_metadata: { total_tokens: 3 },
        response_metadata: { finish_reason: "stop" },
      }),
    );

    expect(frame?.data).toEqual([{ type: "AIMessageChunk", id: "m1", content: "" }, {}]);
  });

  it("sends a message whole when none of its deltas was sent", () => {
    const [frame] = projectionOf("messages-tuple").finished(answer("Hello"));

    expect(frame).toEqual({ event: "messages", data: [{ type: "ai", id: "m1", content: "Hello" }, {}], id: 8 });
  });

  it("adds no text when the message disagrees with its deltas", () => {
    const messages = projectionOf("messages-tuple");

    messages.delta(delta("abc"));

    expect(messages.finished(answer("xyz"))[0]?.data).toEqual([{ type: "AIMessageChunk", id: "m1", content: "" }, {}]);
  });

  it("leaves out the rest of a message that a slow client lost pieces of, and sends it at last", () => {
    const messages = projectionOf("messages-tuple");

    messages.delta(delta("He"));
    messages.skip(delta("l"));

    expect(messages.delta(delta("lo"))).toEqual([]);
    expect(messages.finished(answer("Hello"))[0]?.data).toMatchObject([{ content: "llo" }, {}]);
  });

  it("drops deltas of a message that is finished", () => {
    const messages = projectionOf("messages-tuple");

    messages.finished(answer("Hello"));

    expect(messages.delta(delta("lo"))).toEqual([]);
  });

  it("sends results of tools, not the input", () => {
    const messages = projectionOf("messages-tuple");
    const tool = { type: "tool", id: "t1", content: "42", tool_call_id: "c" };

    expect(messages.finished(anEvent("llm.tool.result", { message: tool }))[0]?.data).toEqual([tool, {}]);
    expect(messages.finished(anEvent("llm.human.input", { message: { type: "human", id: "h" } }))).toEqual([]);
  });
});

describe("mode messages", () => {
  it("announces a message, sends what there is of it, and at last the whole", () => {
    const messages = projectionOf("messages");

    const first = messages.delta(delta("Hel"));
    const second = messages.delta(delta("lo"));
    const last = messages.finished(answer("Hello"));

    expect(first.map(({ event }) => event)).toEqual(["messages/metadata", "messages/partial"]);
    expect(second).toEqual([
      { event: "messages/partial", data: [{ type: "AIMessageChunk", id: "m1", content: "Hello" }] },
    ]);
    expect(last).toEqual([{ event: "messages/complete", data: [{ type: "ai", id: "m1", content: "Hello" }], id: 8 }]);
  });

  it("joins content blocks", () => {
    const messages = projectionOf("messages");

    messages.delta(delta("", { content: [{ type: "text", text: "a" }] }));
    const [frame] = messages.delta(delta("b"));

    expect(frame?.data).toMatchObject([
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });
});

it("sends nothing of messages for other modes", () => {
  const messages = projectionOf("values", "updates");

  expect(messages.delta(delta("a"))).toEqual([]);
  expect(messages.finished(answer("a"))).toEqual([]);
});
