import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { calls, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { stepEvent } from "../../src/child/step-event.ts";
import { createModels, executeTask } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces } from "../support/executions.ts";

const TURNS = 24;

describe("the steps of a subagent", () => {
  it("DF-E6 DF-E9 are its answers and tool results, each once, however often the history is sent", async () => {
    await using server = await startModelServer((_request, index) =>
      index < TURNS
        ? calls({ name: "ls", args: { description: "look", path: `/mnt/user-data/outputs/${index}` } })
        : says("Done"),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const recorder = aRecorder();
    await executeTask({ config, models: createModels(config, {}), ...opened, ...recorder.sinks }, aTask(), aLease());

    const kinds = Array.from({ length: TURNS }, () => ["ai", "tool"]).flat();
    expect(recorder.events.map(({ data }) => data["kind"])).toEqual([...kinds, "ai"]);
    expect(recorder.events.map(({ data }) => data["message_index"])).toEqual([...kinds, "ai"].map((_, at) => at + 1));
  });

  it.each<{ name: string; message: AIMessage | ToolMessage; text: string }>([
    {
      name: "blocks",
      message: new AIMessage({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }),
      text: "ab",
    },
    { name: "no content", message: new AIMessage({ content: [] }), text: "" },
    { name: "an empty text", message: new ToolMessage({ tool_call_id: "c", content: "" }), text: "" },
  ])("DF-E4 have the text of $name", ({ message, text }) => {
    const facts = { envelope: aTask().envelope, lease: aLease(), index: 1, usage: null };

    expect(stepEvent(message, facts).data).toMatchObject({ text, truncated: false });
  });
});
