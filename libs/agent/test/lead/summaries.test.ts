import { describe, expect, it } from "vitest";

import { calls, type ModelAnswer, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";

const OVERLOADED: ModelAnswer = { error: { message: "overloaded" }, status: 503 };
const look = { name: "ls", args: { description: "l", path: "/mnt/user-data/workspace" } };

/** Leads a run of three answers, whose summaries are written as given; the requests of lead and summaries. */
async function lead(summary: (index: number) => ModelAnswer) {
  let [answers, summaries] = [0, 0];
  await using server = await startModelServer(({ tools = [] }) => {
    if (tools.length === 0) return summary(summaries++);
    answers += 1;
    return answers < 3 ? calls(look) : says("Done");
  });
  const config = aConfig(server.baseUrl, { summarization: { enabled: true, trigger_messages: 4, keep_messages: 1 } });
  await using opened = await openWorkspaces(config);
  const { outcome } = startLead({ config, ...opened });
  expect(await outcome).toMatchObject({ status: "success", output: { last_message: "Done" } });
  const isSummary = ({ tools = [] }: (typeof server.requests)[number]) => tools.length === 0;
  return { asked: server.requests.filter(isSummary).length, last: JSON.stringify(server.requests.at(-1)?.messages) };
}

describe("a summary", () => {
  it("is asked for again when the model is overloaded", async () => {
    const { asked, last } = await lead((index) => (index === 0 ? OVERLOADED : says("What happened")));

    expect(asked).toBe(2);
    expect(last).toContain("What happened");
    expect(last).not.toContain("Survey the workspace");
  });

  it("that is never given leaves the conversation as it is", async () => {
    const { asked, last } = await lead(() => OVERLOADED);

    expect(asked).toBe(2);
    expect(last).toContain("Survey the workspace");
    expect(last).not.toContain("Error generating summary");
  });
});
