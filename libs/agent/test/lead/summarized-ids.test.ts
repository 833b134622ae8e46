import { describe, expect, it } from "vitest";

import { calls, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";

const summarization = { enabled: true, trigger_messages: 4, keep_messages: 1 };

const task = (prompt: string) => ({
  name: "task",
  args: { description: "Count", prompt, subagent_type: "general-purpose" },
  id: "call_0",
});

describe("a provider that gives every call the same id", () => {
  it("never reaches an earlier task of the thread by it, also when summaries have replaced the messages", async () => {
    let answers = 0;
    await using server = await startModelServer(({ tools = [] }) => {
      if (tools.length === 0) return says("Summary");
      answers += 1;
      return answers % 4 === 0 ? says("Done.") : calls(task(`Part ${answers}`));
    });
    const config = aConfig(server.baseUrl, { summarization });
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    const first = startLead({ config, ...opened, delegate });
    expect(await first.outcome).toMatchObject({ status: "success" });
    const run = aRun({ thread_id: first.run.thread_id });
    const second = startLead({ config, ...opened, delegate, saver: first.saver, run });
    expect(await second.outcome).toMatchObject({ status: "success" });

    const ids = requests.map(({ envelope }) => envelope.tool_call_id);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });
});
