import { describe, expect, it } from "vitest";

import { createModels, executeRun } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aRun, aSaver, openWorkspaces } from "../support/executions.ts";
import { inOrder, says, startModelServer, toolNames } from "../support/model-server.ts";

describe("executeRun", () => {
  it("answers, and tells what happened in the run's log", async () => {
    await using server = await startModelServer(inOrder(says("Nothing to do")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const recorder = aRecorder();
    const run = aRun({ stream_modes: ["values", "updates", "messages-tuple"] });
    const delegate = () => Promise.reject(new Error("nothing is delegated"));

    const outcome = await executeRun(
      {
        config,
        models: createModels(config, {}),
        ...opened,
        ...recorder.sinks,
        publishLive: recorder.publishLive,
        saver: aSaver(),
        delegate,
        endedCalls: async () => new Map(),
      },
      run,
      aLease(),
    );

    expect(outcome).toEqual({
      status: "success",
      stop_reason: "completed",
      error: null,
      output: { last_message: "Nothing to do" },
    });
    expect(toolNames(server.requests[0]!)).toContain("task");
    expect(recorder.events.map(({ type }) => type)).toEqual([
      "run.start",
      "llm.human.input",
      "stream.values",
      "stream.updates",
      "stream.values",
      "llm.ai.response",
      "stream.updates",
      "stream.values",
    ]);
    expect(recorder.live.length).toBeGreaterThan(0);
  });
});
