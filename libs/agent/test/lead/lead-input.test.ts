import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { inputMessages } from "../../src/lead/lead-input.ts";

const CONTENT = "content: must be a text or a list of blocks, each with a type";
const CALLS = "tool_calls: must be a list of calls, each with a name";

describe("the messages of a run's input", () => {
  it.each([
    [{ role: "user", content: 5 }, CONTENT],
    [{ role: "user", content: { a: 1 } }, CONTENT],
    [{ role: "user", content: [null] }, CONTENT],
    [{ role: "user", content: ["bare"] }, CONTENT],
    [{ role: "user", content: [] }, CONTENT],
    [{ role: "user", content: null }, CONTENT],
    [{ role: "user" }, CONTENT],
    [["user", 5], CONTENT],
    [{ role: "tool", tool_call_id: "a", content: 5 }, CONTENT],
    [{ role: "assistant", content: "A", tool_calls: "x" }, CALLS],
    [{ role: "assistant", content: "A", tool_calls: [{ id: "a", args: {} }] }, CALLS],
  ])("are refused with the field when later requests would break on them: %j", (message, fault) => {
    const refused = expect.objectContaining({
      code: "invalid_request",
      message: expect.stringContaining(`messages.1.${fault}`) as string,
    }) as Error;

    expect(() => inputMessages({ messages: ["fine", message] }, [])).toThrow(refused);
  });

  it.each([
    "go",
    { role: "user", content: "" },
    ["user", "go"],
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] },
    { role: "assistant", content: null, tool_calls: [{ id: "a", name: "ls", args: {} }] },
    { type: "tool", content: "out", tool_call_id: "a" },
  ])("are taken in every form that providers have: %j", (message) => {
    expect(inputMessages({ messages: [message] }, [])).toHaveLength(1);
  });

  it("may remove what the thread has, what came before in the input, or everything", () => {
    const messages = [{ type: "human", id: "new", content: "a" }, ...["new", "old", "__remove_all__"].map(removal)];

    expect(inputMessages({ messages }, [new HumanMessage({ id: "old", content: "b" })])).toHaveLength(4);
  });

  it("are refused with the field when they remove what the thread does not have", () => {
    const refused = { code: "invalid_request", message: expect.stringContaining("messages.1.id: must be") as string };

    expect(() => inputMessages({ messages: ["fine", removal("gone")] }, [])).toThrow(
      expect.objectContaining(refused) as Error,
    );
  });
});

const removal = (id: string) => ({ type: "remove", id });
