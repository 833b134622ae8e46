import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { countTokensApproximately } from "langchain";
import { describe, expect, it } from "vitest";

import { closeOpenCalls } from "../../src/messages/close-open-calls.ts";
import { fitWindow } from "../../src/messages/fit-window.ts";

const tokens = (count: number) => "x".repeat(count * 4);
const calling = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "t", args: {} })) });
const result = (id: string, content: string) => new ToolMessage({ tool_call_id: id, name: "t", content });

/** Whether each call is followed directly by all its results, and no result stands without its call. */
function isValid(messages: readonly BaseMessage[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      if (!open.includes(message.tool_call_id)) return false;
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return false;
    if (AIMessage.isInstance(message)) open = (message.tool_calls ?? []).map(({ id }) => id ?? "");
  }
  return open.length === 0;
}

describe("a conversation and the model's window", () => {
  const window = 1000;
  const reserve = 200;

  it("FC-A26 goes through as it is while it fits, and not one token more", () => {
    const exact = [new HumanMessage(tokens(700)), new AIMessage(tokens(100))];
    const above = [new HumanMessage(tokens(700)), new AIMessage(tokens(50)), new AIMessage(tokens(51))];

    expect(fitWindow(exact, window - reserve)).toEqual(exact);
    expect(countTokensApproximately(above)).toBe(801);
    expect(countTokensApproximately(fitWindow(above, window - reserve))).toBeLessThanOrEqual(800);
  });

  it("FC-A26 has one giant result cut, with its call and its head kept", () => {
    const fitted = fitWindow([new HumanMessage("go"), calling("a"), result("a", tokens(5000))], window - reserve);

    expect(countTokensApproximately(fitted)).toBeLessThanOrEqual(800);
    expect(fitted[2]?.text).toMatch(/^x{100,}.*\n\[left out/s);
  });

  it("keeps the message of the newest turn, what is told before it and what guards said, however long the turn is", () => {
    const turns = Array.from({ length: 20 }, (_, index) => [
      new AIMessage({ content: tokens(100), tool_calls: [{ id: `c${index}`, name: "t", args: {} }] }),
      result(`c${index}`, "r"),
    ]);
    const told = new HumanMessage({ name: "durable_context", content: "told" });
    const turn = [told, new HumanMessage("the question"), ...turns.flat(), new HumanMessage({ content: "notice" })];
    const earlier = [new HumanMessage("an older one"), new AIMessage("its answer")];

    for (const messages of [turn, [...earlier, ...turn]]) {
      const fitted = fitWindow(messages, window - reserve);
      const texts = fitted.map(({ text }) => text);
      expect(texts).toEqual(expect.arrayContaining(["told", "the question", "notice"]));
      expect(fitted.flatMap((message) => ("tool_calls" in message ? [message] : [])).at(-1)).toBe(turns.at(-1)?.[0]);
      expect(countTokensApproximately(fitted)).toBeLessThanOrEqual(window - reserve);
      expect(isValid(fitted)).toBe(true);
    }
  });

  it("loses the results of older calls before anything newer", () => {
    const messages = [
      ...[new HumanMessage("go"), calling("a"), result("a", tokens(500)), calling("b"), result("b", tokens(500))],
    ];
    const fitted = fitWindow(messages, window - reserve);

    expect(fitted[2]?.text).toMatch(/^\[left out/);
    expect(fitted[4]?.text).toBe(tokens(500));
  });

  it("FC-A16 is always valid: a call with all its results right behind it, whatever was left out", () => {
    const turn = fc.array(
      fc.record({ results: fc.integer({ min: 0, max: 3 }), size: fc.integer({ min: 0, max: 400 }) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(turn, fc.integer({ min: 100, max: 1500 }), (turns, room) => {
        const messages: BaseMessage[] = [new HumanMessage("go")];
        turns.forEach(({ results, size }, index) => {
          const ids = Array.from({ length: results }, (_, at) => `${index}-${at}`);
          messages.push(calling(...ids), ...ids.slice(0, 2).map((id) => result(id, tokens(size))));
          if (results === 0) messages.push(new HumanMessage(tokens(size)));
        });
        const fitted = fitWindow(closeOpenCalls(messages), room);

        expect(isValid(fitted)).toBe(true);
        expect(fitted[0]?.text).toBe("go");
      }),
    );
  });
});

describe("FC-A16 results that stand elsewhere", () => {
  it("come right behind the call that made them, and those without a call are left out", () => {
    const messages = [
      ...[calling("a", "b"), result("a", "A"), new HumanMessage("meanwhile"), result("b", "B"), result("z", "Z")],
    ];

    expect(closeOpenCalls(messages).map(({ text, type }) => `${type} ${text}`.trim())).toEqual([
      ...["ai", "tool A", "tool B", "human meanwhile"],
    ]);
  });
});
