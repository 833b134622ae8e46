import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { cappedTask, completedTask, partialWork, timedOutTask } from "../../src/child/child-outcome.ts";
import { failedAnswer } from "../../src/messages/failure-mark.ts";

const task = new HumanMessage("Count");
const ended = (...messages: BaseMessage[]) => completedTask([task, ...messages], null);
const bare = (content: string, detail?: string) => {
  const mark = { antler_model_failure: { ...(detail !== undefined && { detail }) } };
  const fields = { content, additional_kwargs: mark };
  return new AIMessage(fields);
};

describe("how a subagent ended", () => {
  it("DF-X2 is a failure when its last answer is marked as one", () => {
    expect(ended(new AIMessage("half"), failedAnswer("quota"))).toMatchObject({
      ...{ status: "failed", stop_reason: "model_error", error: "quota", partial_result: "half", result: null },
    });
  });

  it("DF-X2 is not decided by a mark further back", () => {
    expect(ended(failedAnswer("quota"), new AIMessage("48 files"))).toMatchObject({
      ...{ status: "completed", result: "48 files", error: null },
    });
  });

  it("DF-X3 is not decided by words that sound like a failure", () => {
    expect(ended(new AIMessage("Error: provider failed"))).toMatchObject({ status: "completed" });
  });

  it.each([
    ["d", "d"],
    [undefined, "LLM request failed"],
  ])("DF-X5 names the detail %s when a marked answer has no text", (detail, error) => {
    expect(ended(bare("", detail))).toMatchObject({ status: "failed", error });
  });

  it("DF-X8 FC-A09 is told in the text of its blocks, without what it thought", () => {
    const content = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "A" },
      { type: "server_tool_use", id: "s", name: "search", input: {} },
      { type: "text", text: "B" },
    ];

    expect(ended(new AIMessage({ content })).result).toBe("AB");
  });

  it("FC-A09 falls back to its last words when it ended without any", () => {
    expect(ended(new AIMessage("48 files"), new AIMessage("")).result).toBe("48 files");
  });

  it.each(["", "  \n"])("DF-X15 says so when it never said anything but %j", (content) => {
    expect(ended(new AIMessage(content)).result).toBe("No response generated");
  });

  it("DF-X11 has the guard's reason before the turn cap's", () => {
    expect(cappedTask("3 of 5", 2, "token_capped")).toMatchObject({ status: "completed", stop_reason: "token_capped" });
    expect(cappedTask(null, 2, null)).toMatchObject({ status: "failed", stop_reason: "turn_capped" });
  });

  it.each([
    ["its last words and the files it wrote", "2 of 5", ["/a", "/b"], "2 of 5\n\nFiles written:\n- /a\n- /b"],
    ["the files alone", null, ["/a"], "Files written:\n- /a"],
    ["its words alone", "2 of 5", [], "2 of 5"],
    ["nothing", null, [], null],
  ])("FC-A28 leaves of unfinished work %s", (_name, spoken, files, partial) => {
    expect(partialWork(spoken, files)).toBe(partial);
  });

  it("FC-A28 keeps as partial work what was said before the time was over, and has no result", () => {
    expect(timedOutTask("2 of 5", 5000)).toMatchObject({
      ...{ status: "timed_out", error: "Execution timed out after 5 seconds", result: null, partial_result: "2 of 5" },
    });
  });
});
