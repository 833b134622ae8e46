import { describe, expect, it } from "vitest";

import { executeTask } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces } from "../support/executions.ts";
import { calls, inOrder, says, startModelServer, systemTexts, toolNames } from "../support/model-server.ts";

const bash = (command: string, id?: string) => ({
  name: "bash",
  args: { description: "run", command },
  ...(id !== undefined && { id }),
});

describe("executeTask", () => {
  it("DF-X1 DF-X16 works with the tools it was given and gives back its last words", async () => {
    await using server = await startModelServer(inOrder(calls(bash("echo hello")), says("There is one file")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const recorder = aRecorder();
    const task = aTask();
    const lease = aLease();

    const outcome = await executeTask({ config, environment: {}, ...opened, ...recorder.sinks }, task, lease);

    expect(outcome).toEqual({
      status: "completed",
      stop_reason: "completed",
      result: "There is one file",
      partial_result: null,
      error: null,
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      steps: 3,
    });
    expect(server.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
    expect(systemTexts(server.requests[0]!)).toHaveLength(1);
    expect(toolNames(server.requests[0]!)).not.toContain("task");
    expect(recorder.events.map(({ key }) => key)).toEqual([1, 2, 3].map((n) => `${task._id}:0.1:step:${n}`));
    expect(recorder.usage.map(({ key }) => key)).toEqual([`${task._id}:1:1`, `${task._id}:1:2`]);
    expect(JSON.stringify(server.requests[1])).toContain("hello");
  });
});
