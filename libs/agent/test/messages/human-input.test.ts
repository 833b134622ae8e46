import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { turnOf } from "../../src/messages/human-input.ts";
import { presentableNames } from "../../src/messages/presentable-names.ts";

const summarized = { content: "so far", additional_kwargs: { lc_source: "summarization" } };
const summary = new HumanMessage(summarized);
const notice = new HumanMessage({ name: "loop_warning", content: "again" });
const answer = new AIMessage("answer");

describe("the newest turn", () => {
  it("begins with what was asked last, not with a notice", () => {
    const asked = new HumanMessage("now");

    expect(turnOf([new HumanMessage("before"), answer, asked, answer, notice])).toEqual([asked, answer, notice]);
  });

  it("is all that is left when a summary has taken its beginning in", () => {
    expect(turnOf([answer, summary, answer])).toEqual([answer, summary, answer]);
  });
});

describe("names of tools in a request", () => {
  const calling = (name: string) => new AIMessage({ content: "", tool_calls: [{ id: "c", name, args: {} }] });
  const result = (name: string) => new ToolMessage({ tool_call_id: "c", name, content: "refused" });

  it.each([
    ["bad name!", "bad_name_"],
    ["", "unnamed"],
    ["x".repeat(100_000), "x".repeat(64)],
    ["bаsh", "b_sh"],
  ])("are such that a provider takes them: %#", (name, shown) => {
    expect(presentableNames([calling(name), result(name)])).toMatchObject([
      { tool_calls: [{ id: "c", name: shown }] },
      { tool_call_id: "c", name: shown, content: "refused" },
    ]);
  });

  it("are left alone when they are", () => {
    const messages = [calling("bash"), result("bash")];

    expect(presentableNames(messages)).toEqual(messages);
  });
});
