import { expect, it } from "vitest";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";

const ls = (id: string) => ({ name: "ls", args: { path: "/mnt/user-data/workspace" }, id });

it("tells the result of each of several calls of one answer in the log, under the id that it has in the thread", async () => {
  await using server = await startModelServer(inOrder(calls(ls("a"), ls("b"), ls("c")), says("Done")));
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const { outcome, recorder } = startLead({ config, ...opened });
  await outcome;

  const told = recorder.events.filter(({ type }) => type === "llm.tool.result");
  expect(new Set(told.map(({ key }) => key)).size).toBe(3);
  expect(told.map(({ data }) => (data["message"] as { tool_call_id: string }).tool_call_id).sort()).toEqual([
    "a",
    "b",
    "c",
  ]);
});
